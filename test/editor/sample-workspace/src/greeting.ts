/** A greeting for someone. */
export function greet(name: string): string {
  return `Hello, ${name}.`;
}
