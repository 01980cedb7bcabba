// Reads an answer of one JSON object per line.

/**
 * The parsed lines; blank ones are skipped, and a last line without its end counts only if it is whole.
 * @throws SyntaxError for an unreadable line
 */
export async function* linesOf(response: Response): AsyncGenerator<unknown> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", start)) {
      const line = rest.slice(start, end).trim();
      start = end + 1;
      if (line !== "") yield JSON.parse(line);
    }
    rest = rest.slice(start);
  }
  const last = (rest + decoder.decode()).trim();
  if (last !== "") yield JSON.parse(last);
}
