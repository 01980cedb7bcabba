// The look of an exported session: light and dark by the reader's system, readable without anything loaded.

export const EXPORT_STYLE = `
:root{color-scheme:light dark;--line:#8884;--soft:#8882;--accent:#2f7d4f}
body{font:15px/1.55 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
h2 a{font-weight:normal;font-size:.85em}h3{font-size:.8rem;margin:0 0 .25rem;opacity:.75}
header p,small{opacity:.7}nav ol{padding-left:1.5rem}a{color:var(--accent)}a[aria-current]{font-weight:600}
article{margin:1rem 0;padding:.5rem .75rem;border-left:3px solid var(--line)}
.user{border-color:var(--accent);background:var(--soft)}.summary{border-style:double}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0;font:inherit}
.tool pre,details pre{font:13px/1.45 ui-monospace,monospace;max-height:24rem;overflow:auto}
ul{margin:.25rem 0;padding-left:1.5rem}h4{font:inherit;font-weight:600;margin:.75rem 0 .25rem}
img{max-width:100%}mark{padding:0 .35em;border-radius:3px}
`;
