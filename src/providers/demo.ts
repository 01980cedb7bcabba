export const streamDemo = undefined as never;
