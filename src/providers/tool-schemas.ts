// Tool parameters as every provider takes them: an object at the root, no alternatives beside it.
import type { ToolDefinition } from "../core/llm/stream.ts";

/**
 * The schema with an object at its root (providers §5.10). Alternatives at the root are joined into one object whose
 * properties are all optional unless every alternative requires them. The same input gives the same bytes.
 */
export function wireSchema(tool: ToolDefinition): Record<string, unknown> {
  const { anyOf, oneOf, allOf, $schema: _, ...rest } = tool.parameters;
  const branches = [anyOf, oneOf, allOf].flatMap((list) =>
    Array.isArray(list) ? (list as Record<string, unknown>[]) : [],
  );
  if (branches.length === 0) return { ...rest, type: "object", properties: rest.properties ?? {} };
  const properties: Record<string, unknown> = { ...(rest.properties as Record<string, unknown> | undefined) };
  for (const branch of branches) Object.assign(properties, branch.properties);
  const all = new Set<string>(Array.isArray(rest.required) ? (rest.required as string[]) : []);
  const everywhere = requiredOf(branches[0]).filter((name) =>
    branches.every((branch) => requiredOf(branch).includes(name)),
  );
  for (const name of Array.isArray(allOf) ? branches.flatMap(requiredOf) : everywhere) all.add(name);
  const schema: Record<string, unknown> = { ...rest, type: "object", properties };
  if (all.size > 0) schema.required = [...all];
  return schema;
}

function requiredOf(branch: Record<string, unknown> | undefined): string[] {
  return Array.isArray(branch?.required) ? (branch.required as string[]) : [];
}
