// The official clients talk to the built program: the TypeScript SDK of the handshake era (v1), that of the stateless era
// (v2, both eras), and the inspector's command line. node sdk_client.mjs LOCKSTEP
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const require = createRequire(import.meta.url);
try {
  require.resolve('@modelcontextprotocol/inspector/package.json');
} catch {
  console.error('the official clients are not installed: run scripts/setup.sh --tests');
  process.exit(77);
}
const lockstep = path.resolve(process.argv[2]);
const here = path.dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-mcp-'));
const repository = path.join(folder, 'shop');
execFileSync('python3', [path.join(here, 'make_repository.py'), repository]);

const CALLS = {
  overview: {},
  find_symbol: {query: 'reduce_output'},
  read_entity: {symbol: 'shop.layers.Linear'},
  callers: {symbol: 'reduce_output'},
  callees: {symbol: 'reduce_output'},
  call_paths: {from: 'shop.train.main', to: 'reduce_output'},
  collective_trace: {symbol: 'reduce_output'},
  change_summary: {change: 'HEAD'},
  entity_diff: {change: 'HEAD', symbol: 'reduce_output'},
  findings: {change: 'HEAD'},
  context_pack: {task: 'reduce the output', tokens: 1000},
  verify_references: {text: 'See `reduce_outputs` at `shop/layers.py:9999`.', change: 'HEAD'},
};

// Counts what arrives on the wire: the SDK drops the progress that it reads together with the answer.
function progress_of(transport) {
  const steps = [];
  const deliver = transport.onmessage;
  assert.equal(typeof deliver, 'function');
  transport.onmessage = (message, extra) => {
    if (message.method === 'notifications/progress') steps.push(message.params);
    deliver.call(transport, message, extra);
  };
  return steps;
}

async function everything(client, era, arrived) {
  const {tools} = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(CALLS).sort(), era);
  for (const [name, args] of Object.entries(CALLS)) {
    const result = await client.callTool({name, arguments: args});
    assert.ok(!result.isError, `${era} ${name}: ${result.content[0].text}`);
    assert.match(result.content[0].text, /reduce_output|rank-divergent/, `${era} ${name}`);
  }
  const failed = await client.callTool({name: 'callers', arguments: {symbol: 'nothing_of_the_kind'}});
  assert.equal(failed.isError, true);

  const {prompts} = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name), ['explain', 'deep-dive', 'review']);
  for (const {name} of prompts) {
    const prompt = await client.getPrompt({name, arguments: {change: 'HEAD'}});
    assert.equal(prompt.messages.length, 2);
    assert.doesNotMatch(prompt.messages[0].content.text, /\{\{/);
    assert.match(prompt.messages[1].content.resource.text, /reduce_output/, `${era} ${name}`);
  }

  const {resources} = await client.listResources();
  assert.equal(resources.length, 8);
  for (const {uri} of resources.filter((each) => each.uri.endsWith('/HEAD'))) {
    const {contents} = await client.readResource({uri});
    assert.match(contents[0].text, /reduce_output/, `${era} ${uri}`);
  }
  const {resourceTemplates} = await client.listResourceTemplates();
  assert.equal(resourceTemplates.length, 4);
  const ranged = await client.readResource({uri: 'lockstep://review/' + encodeURIComponent('HEAD~1..HEAD')});
  assert.match(ranged.contents[0].text, /P0/);
  await assert.rejects(client.readResource({uri: 'lockstep://review/no-such-branch'}));

  const {completion} = await client.complete(
      {ref: {type: 'ref/prompt', name: 'review'}, argument: {name: 'change', value: 'HE'}});
  assert.ok(completion.values.includes('HEAD'));

  const progress = [];
  const before = arrived.length;
  await client.callTool({name: 'change_summary', arguments: {change: 'HEAD~1'}},
                        {onprogress: (step) => progress.push(step.progress)});
  const steps = arrived.slice(before).map((step) => step.progress);
  assert.ok(steps.length >= 3, `${era}: ${steps.length} steps of progress`);
  assert.deepEqual(steps, steps.map((_, index) => index + 1), era);
  assert.deepEqual(progress, steps.slice(0, progress.length), era);

  // An edit made while the program runs is in the next answer.
  writeFileSync(path.join(repository, 'shop', 'fresh.py'), `def fresh_${era}():\n    pass\n`);
  const found = await client.callTool({name: 'find_symbol', arguments: {query: `fresh_${era}`}});
  assert.match(found.content[0].text, /shop\/fresh\.py:1-2/);

  // Cancelling by the SDK's own means; the session goes on.
  const stop = new AbortController();
  const cancelled = client.callTool({name: 'findings', arguments: {change: '--worktree'}}, {signal: stop.signal});
  stop.abort('test');
  await assert.rejects(cancelled);
  assert.ok((await client.listTools()).tools.length > 0);
}

// v1 and v2 differ in where the options of callTool stand.
const older = (client) => new Proxy(client, {
  get: (target, name) => name === 'callTool' ? (call, options) => target.callTool(call, undefined, options)
                                            : target[name].bind(target),
});

try {
  const v1 = await import('@modelcontextprotocol/sdk/client/index.js');
  const v1stdio = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const client = new v1.Client({name: 'v1', version: '1'});
  const transport = new v1stdio.StdioClientTransport({command: lockstep, args: ['mcp', '-C', repository]});
  await client.connect(transport);
  await everything(older(client), 'v1', progress_of(transport));
  await client.close();

  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20) {
    console.log(`Node ${process.versions.node}: the SDK v2 (Node 20) and the inspector (Node 22.19) are left out`);
  } else {
    const v2 = await import('@modelcontextprotocol/client');
    const v2stdio = await import('@modelcontextprotocol/client/stdio');
    for (const [era, mode] of [['modern', {pin: '2026-07-28'}], ['auto', 'auto'], ['legacy', 'legacy']]) {
      const each = new v2.Client({name: 'v2', version: '1'}, {versionNegotiation: {mode}});
      const transport = new v2stdio.StdioClientTransport({command: lockstep, args: ['mcp', '-C', repository]});
      await each.connect(transport);
      await everything(each, era, progress_of(transport));
      await each.close();
    }
  }

  const manifest = require.resolve('@modelcontextprotocol/inspector/package.json');
  const inspector = path.join(path.dirname(manifest), 'clients/launcher/build/index.js');
  const inspect = (...args) => JSON.parse(execFileSync(
      process.execPath, [inspector, '--cli', lockstep, 'mcp', '-C', repository, ...args],
      {encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env: {...process.env, HOME: folder}}));
  if (major >= 20) {
    assert.equal(inspect('--method', 'tools/list', '--strict').tools.length, Object.keys(CALLS).length);
    assert.equal(inspect('--method', 'prompts/list').prompts.length, 3);
    assert.equal(inspect('--method', 'resources/list').resources.length, 8);
    const called = inspect('--method', 'tools/call', '--tool-name', 'callers', '--tool-arg', 'symbol=reduce_output');
    assert.match(called.content[0].text, /shop\/layers\.py:17/);
    const prompt = inspect('--method', 'prompts/get', '--prompt-name', 'review', '--prompt-args', 'change=HEAD');
    assert.equal(prompt.messages.length, 2);
    const read = inspect('--method', 'resources/read', '--uri', 'lockstep://explain/HEAD');
    assert.match(read.contents[0].text, /reduce_output/);
  }
  console.log('the official clients and the inspector are served');
} finally {
  rmSync(folder, {recursive: true, force: true});
}
