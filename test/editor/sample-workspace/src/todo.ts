export interface Todo {
  text: string;
  done: boolean;
}

/** Adds a thing to do at the end. */
export function add(list: readonly Todo[], text: string): Todo[] {
  return [...list, { text, done: false }];
}

/** What is left to do. */
export function open(list: readonly Todo[]): Todo[] {
  return list.filter((todo) => !todo.done);
}
