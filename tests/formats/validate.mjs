// What other programs read, held against their own rules: `node validate.mjs sarif FILE…` (the official schema of SARIF
// 2.1.0, and GitHub's limits), `node validate.mjs rdjson|gitlab FILE…`, `node validate.mjs yaml FILE…`. Prints what does not hold.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import Ajv from 'ajv-draft-04';
import Ajv2019 from 'ajv';
import addFormats from 'ajv-formats';
import { parseDocument } from 'yaml';

const require = createRequire(import.meta.url);
const [kind, ...files] = process.argv.slice(2);
const problems = [];

// https://github.com/reviewdog/reviewdog/blob/master/proto/rdf/reviewdog.proto
const position = { type: 'object', required: ['line'], additionalProperties: false, properties: { line: { type: 'integer', minimum: 1 }, column: { type: 'integer', minimum: 1 } } };
const range = { type: 'object', required: ['start'], additionalProperties: false, properties: { start: position, end: position } };
const severity = { enum: ['UNKNOWN_SEVERITY', 'ERROR', 'WARNING', 'INFO'] };
const rdjson = {
  type: 'object', required: ['diagnostics', 'source'], additionalProperties: false,
  properties: {
    source: { type: 'object', required: ['name'] }, severity,
    diagnostics: { type: 'array', items: {
      type: 'object', required: ['message', 'location'], additionalProperties: false,
      properties: {
        message: { type: 'string', minLength: 1 }, severity,
        location: { type: 'object', required: ['path', 'range'], additionalProperties: false, properties: { path: { type: 'string', pattern: '^[^/]' }, range } },
        code: { type: 'object', required: ['value'] },
        suggestions: { type: 'array', items: { type: 'object', required: ['range', 'text'], additionalProperties: false, properties: { range, text: { type: 'string' } } } },
        related_locations: { type: 'array', items: { type: 'object' } }, original_output: { type: 'string' },
      } } },
  } };

// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
const gitlab = { type: 'array', items: {
  type: 'object', required: ['description', 'check_name', 'fingerprint', 'location', 'severity'],
  properties: {
    description: { type: 'string', minLength: 1 }, check_name: { type: 'string', minLength: 1 }, fingerprint: { type: 'string', minLength: 8 },
    severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
    location: { type: 'object', required: ['path', 'lines'], properties: {
      path: { type: 'string', pattern: '^(?!\\./|/)' }, lines: { type: 'object', required: ['begin'], properties: { begin: { type: 'integer', minimum: 1 } } } } },
  } } };

function compile() {
  if (kind === 'sarif') {
    const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
    addFormats(ajv);
    return ajv.compile(JSON.parse(readFileSync(require.resolve('@microsoft/jest-sarif/package.json').replace('package.json', 'lib/schemas/sarif-2.1.0-rtm.5.json'))));
  }
  return new Ajv2019({ allErrors: true }).compile(kind === 'rdjson' ? rdjson : gitlab);
}

// GitHub: "SARIF support for code scanning", limits and properties.
function checkLimits(file, text, log) {
  const complain = (what) => problems.push(`${file}: ${what}`);
  if (gzipSync(text).length > 10 * 1024 * 1024) complain('larger than 10 MiB, compressed');
  for (const run of log.runs) {
    if (run.results.length > 25000 || run.tool.driver.rules.length > 25000) complain('more results or rules than GitHub takes');
    const ids = new Set(run.tool.driver.rules.map((rule) => rule.id));
    if (ids.size !== run.tool.driver.rules.length) complain('a rule is there twice');
    for (const rule of run.tool.driver.rules) {
      if ((rule.properties?.tags ?? []).length > 20) complain('a rule with more than 20 tags');
      if (!rule.help?.markdown || rule.fullDescription.text.length > 1024) complain(`${rule.id}: no help, or a description over 1024 characters`);
    }
    for (const result of run.results) {
      if (!ids.has(result.ruleId) && result.ruleIndex !== undefined) complain(`${result.ruleId}: not among the rules`);
      if (result.ruleIndex !== undefined && run.tool.driver.rules[result.ruleIndex].id !== result.ruleId) complain('a wrong ruleIndex');
      if (!result.partialFingerprints?.primaryLocationLineHash) complain('a result without a fingerprint');
      if (result.locations.length !== 1) complain('a result without a place');
      for (const flow of result.codeFlows ?? []) {
        for (const thread of flow.threadFlows) if (thread.locations.length === 0 || thread.locations.length > 10000) complain('a flow without steps, or with too many');
      }
      const uri = result.locations[0].physicalLocation.artifactLocation.uri;
      if (/^[/]|^[a-z]+:|\\/.test(uri)) complain(`${uri}: not relative to the root`);
    }
  }
}

for (const file of files) {
  const text = readFileSync(file, 'utf8');
  if (kind === 'yaml') {
    const document = parseDocument(text, { strict: true, uniqueKeys: true });
    problems.push(...[...document.errors, ...document.warnings].map((problem) => `${file}: ${problem.message}`));
    continue;
  }
  const validate = compile();
  const json = JSON.parse(text);
  if (!validate(json)) problems.push(...validate.errors.slice(0, 20).map((error) => `${file}: ${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`));
  if (kind === 'sarif') checkLimits(file, text, json);
}
if (problems.length > 0) console.log(problems.join('\n'));
process.exit(problems.length > 0 ? 1 : 0);
