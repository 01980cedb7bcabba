// Numbers as short as a narrow column needs them, alike in the pages and in the native views.

/** Making a format costs some fifty times as much as using it. */
const formats = new Map<string, Intl.NumberFormat>();

function formatted(value: number, language: string, options: Intl.NumberFormatOptions): string {
  const key = `${language} ${options.style} ${options.minimumFractionDigits} ${options.maximumFractionDigits}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(language, options);
    formats.set(key, format);
  }
  return format.format(value);
}

/** At most one digit behind the point, where it is not nought: 3.2 (in German 3,2). */
export function shortDecimal(value: number, language: string): string {
  return formatted(value, language, { maximumFractionDigits: 1 });
}

/** 950, 1.2k, 45k, 1.3M (in German 1,2k). */
export function shortTokens(tokens: number, language: string): string {
  if (tokens < 1000) return String(Math.max(0, Math.round(tokens)));
  if (tokens < 9_950) return `${shortDecimal(tokens / 1000, language)}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
  return `${shortDecimal(tokens / 1_000_000, language)}M`;
}

/** US dollars with as many digits as the amount needs: $0.0042, $0.13, $12.40 (in German 0,13 $). */
export function shortCost(usd: number, language: string): string {
  const digits = usd > 0 && usd < 0.01 ? 4 : 2;
  return formatted(usd, language, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
