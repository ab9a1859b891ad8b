// Reads diagrams as JSON (["graph TD …", …]) from standard input, parses each with the real Mermaid and prints, as JSON,
// [{"type", "edges", "characters", "error"}]. GitHub's limits are applied: 50,000 characters, 500 edges.
// Several documents at once: one process start costs more than a hundred diagrams.
import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';

// Mermaid looks for a browser when it is imported, and its label cleaner for a document when it parses.
const dom = new JSDOM('<!doctype html><body></body>');
globalThis.window = dom.window;
globalThis.document = dom.window.document;
for (const name of ['Element', 'HTMLElement', 'SVGElement', 'Node', 'DOMParser', 'DocumentFragment', 'NodeFilter']) {
  globalThis[name] = dom.window[name];
}
const { default: mermaid } = await import('mermaid');

const LIMITS = { maxTextSize: 50000, maxEdges: 500 };
mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', ...LIMITS });

/** Edges of a parsed diagram, whatever its type calls them. */
function edgesOf(db) {
  if (typeof db.getEdges === 'function') return db.getEdges().length;
  if (typeof db.getRelations === 'function') return Object.keys(db.getRelations()).length;
  if (typeof db.getMessages === 'function') return db.getMessages().length;
  return 0;
}

async function check(text) {
  const result = { type: '', edges: 0, characters: text.length, error: '' };
  try {
    if (text.length > LIMITS.maxTextSize) throw new Error(`${text.length} characters, more than ${LIMITS.maxTextSize}`);
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    result.type = diagram.type;
    result.edges = edgesOf(diagram.db);
    if (result.edges > LIMITS.maxEdges) throw new Error(`${result.edges} edges, more than ${LIMITS.maxEdges}`);
  } catch (error) {
    result.error = String(error?.message ?? error) || 'rejected';
  }
  return result;
}

const results = [];
for (const text of JSON.parse(readFileSync(0, 'utf8'))) results.push(await check(text));
// A pipe takes 64 KiB at once: what ends before the rest is written loses it.
process.stdout.write(JSON.stringify(results), () => process.exit(0));
