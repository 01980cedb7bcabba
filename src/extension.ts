// Activation: the object graph of the extension.
export function activate(): void {}
export function deactivate(): void {}
