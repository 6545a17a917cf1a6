// The TypeScript SDK as a client: what is listed, what eleven tools answer to
// good calls and to bad ones, and what is left of a call that it gave up on.
//
//     node client.mjs stdio | URL
//
// COUNTERFOIL is the binary and COUNTERFOIL_SANDBOX_URL the marketplace behind
// it, which has to be fresh. It prints what is wrong, one line each, then one
// line in sum, and exits with 1 where anything was.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

const target = process.argv[2];
const counterfoil = process.env.COUNTERFOIL;
const patience = 60_000; // ms: what takes longer has hung

const names = [
  'book_pickup', 'cancel_pickup', 'escalate_to_human', 'get_order', 'get_ticket', 'issue_refund',
  'list_effects', 'message_seller', 'reply_to_buyer', 'search_procedures', 'send_replacement',
];
const reads = ['get_order', 'get_ticket', 'list_effects', 'search_procedures'];
const good = ['performed', 'already_performed', 'found', 'unknown']; // the outcomes that are no error

const shelf = { ticket_id: 'T-4127', order_id: 'SU-88421', item_id: 'SHELF-OAK-4', amount_cents: 11800 };
const lamp = { ticket_id: 'T-4188', order_id: 'SU-88510', item_id: 'LAMP-BRASS-1', amount_cents: 4900 };
const rug = { ticket_id: 'T-4188', order_id: 'SU-88510', item_id: 'RUG-JUTE-2', amount_cents: 4000 };
const sofa = { ticket_id: 'T-4188', order_id: 'SU-88510', item_id: 'SOFA-LINEN-3', amount_cents: 42000 };

let checked = 0;
let wrong = 0;
const shapes = new Map(); // by tool: what its results must look like

let client;

async function main() {
  await connect();
  await step('eleven tools, each with an output schema that compiles', list);
  await step('a good call of each', goodCalls);
  await step('wrong arguments to each', wrongArguments);
  await step('ids that nobody knows, and what the rules refuse', refusals);
  await step('given up on after 1 s while the authority hangs, and called again: one effect', giveUpAndAskAgain);
  await step('given up on after 1 s and hung up on while the authority is slow: the write goes on', hangUpAndLook);
  await step('an authority that has neither acted nor answered', lostBefore);
  await step('an authority that has acted, and can no longer be asked', lostForGood);
  await step('over the ceiling', overTheCeiling);
  await client.close();
}

async function connect() {
  client = new Client({ name: 'counterfoil-conformance', version: '0.0.0' });
  await client.connect(transport());
}

function transport() {
  if (target !== 'stdio') return new StreamableHTTPClientTransport(new URL(target));
  const args = ['serve', '--provider-timeout', '3s', '--answer-within', '8s', '--sweep-every', '10m', '--log-level', 'error'];
  return new StdioClientTransport({ command: counterfoil, args, env: { ...process.env } });
}

async function step(what, run) {
  try {
    await run();
  } catch (error) {
    wrong++;
    console.log(`FAILED, ${over()}: ${what}: ${error.message}`);
  }
}

const over = () => (target === 'stdio' ? 'stdio' : 'HTTP');

async function list() {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), names);
  for (const tool of tools) {
    assert.ok(tool.outputSchema, `${tool.name} has no output schema`);
    shapes.set(tool.name, new Ajv2020({ strict: true, allErrors: true }).compile(tool.outputSchema));
  }
}

// call makes one call and holds its result to what is promised of every result:
// it has the shape that was listed (the SDK throws where it has not, and it is
// checked here once more), the same JSON stands in the one text block, its
// verdict comes first, and isError is set for what has not happened alone.
async function call(tool, args, want) {
  const result = await client.callTool({ name: tool, arguments: args }, undefined, { timeout: patience });
  checked++;
  const said = result.structuredContent;
  const about = `${tool} ${JSON.stringify(args)} answered ${JSON.stringify(said)}`;
  const fits = shapes.get(tool);
  assert.ok(fits(said), `${about}: ${JSON.stringify(fits.errors)}`);
  assert.equal(result.content.length, 1, `${about}: one text block`);
  assert.deepEqual(JSON.parse(result.content[0].text), said, `${about}: the text block is the same`);
  assert.equal(Object.keys(JSON.parse(result.content[0].text))[0], 'verdict', `${about}: the verdict comes first`);
  assert.equal(result.isError ?? false, !good.includes(said.outcome), `${about}: isError`);
  for (const [member, value] of Object.entries(want)) {
    const fine = Array.isArray(value) ? value.includes(said[member]) : said[member] === value;
    assert.ok(fine, `${about}: want ${member} ${value}`);
  }
  return said;
}

async function goodCalls() {
  await call('get_ticket', { ticket_id: 'T-4127' }, { outcome: 'found', ticket_id: 'T-4127' });
  await call('get_order', { order_id: 'SU-88421' }, { outcome: 'found', paid_cents: 14400 });
  await call('search_procedures', { query: 'damaged in transit' }, { outcome: 'found' });
  const performed = { outcome: 'performed', evidence: 'provider_response' };
  await call('message_seller', { ticket_id: 'T-4127', seller_id: 'S-ASHCOMBE', text: 'The side panel is cracked.' }, performed);
  const refund = await call('issue_refund', shelf, { ...performed, cents: 11800 });
  const day = { ticket_id: 'T-4127', order_id: 'SU-88421', date: '2031-12-09' };
  const pickup = await call('book_pickup', day, performed);
  await call('cancel_pickup', { ticket_id: 'T-4127', booking_id: pickup.booking_id }, performed);
  await call('send_replacement', { ticket_id: 'T-4127', order_id: 'SU-88421', item_id: 'HOOK-OAK-2' }, performed);
  await call('reply_to_buyer', { ticket_id: 'T-4127', text: '118.00 USD are on their way.' }, performed);
  await call('escalate_to_human', { ticket_id: 'T-4127', reason: 'other', summary: 'The third one this month.' }, performed);
  const effects = await call('list_effects', { ticket_id: 'T-4127' }, { outcome: 'found' });
  assert.equal(effects.effects.length, 7);
  await call('issue_refund', shelf, { outcome: 'already_performed', refund_id: refund.refund_id });
  assert.equal(refunds('SHELF-OAK-4').length, 1);
}

async function wrongArguments() {
  for (const tool of names) {
    const invalid = reads.includes(tool)
      ? { outcome: 'invalid_arguments' }
      : { outcome: 'not_performed', reason: 'invalid_arguments', retry: 'fix_and_retry', attempts: 0 };
    for (const args of [{}, { ticket_id: 4127, order_id: ['SU-88421'] }, { made_up: true }]) await call(tool, args, invalid);
  }
}

async function refusals() {
  await call('get_ticket', { ticket_id: 'T-0' }, { outcome: 'not_found' });
  await call('get_order', { order_id: 'SU-0' }, { outcome: 'not_found' });
  await call('list_effects', { ticket_id: 'T-0' }, { outcome: ['found', 'not_found'] });
  await call('search_procedures', { query: 'zeppelin' }, { outcome: ['found', 'not_found'] });
  const unknown = { outcome: 'not_performed', reason: 'unknown_id' };
  await call('issue_refund', { ...lamp, order_id: 'SU-0' }, unknown);
  await call('issue_refund', { ...lamp, item_id: 'LAMP-0' }, unknown);
  await call('message_seller', { ticket_id: 'T-0', seller_id: 'S-ASHCOMBE', text: 'Hello?' }, unknown);
  await call('reply_to_buyer', { ticket_id: 'T-0', text: 'Hello?' }, unknown);
  await call('book_pickup', { ticket_id: 'T-4188', order_id: 'SU-0', date: '2031-12-09' }, unknown);
  await call('cancel_pickup', { ticket_id: 'T-4188', booking_id: 'bk_0' }, unknown);
  await call('send_replacement', { ticket_id: 'T-4188', order_id: 'SU-0', item_id: 'LAMP-BRASS-1' }, unknown);
  await call('escalate_to_human', { ticket_id: 'T-0', reason: 'other', summary: 'Nobody.' }, unknown);
  await call('issue_refund', { ...lamp, ticket_id: 'T-4127' }, { outcome: 'not_performed', reason: 'not_on_ticket' });
  await call('issue_refund', { ...lamp, amount_cents: 4901 }, { outcome: 'not_performed', reason: 'exceeds_paid' });
  fault('messages.create', 'reject', '--times', '1');
  const said = { ticket_id: 'T-4188', text: 'Refused for good.' };
  await call('reply_to_buyer', said, { outcome: 'not_performed', reason: 'refused_by_authority', retry: 'never' });
}

async function giveUpAndAskAgain() {
  fault('refunds.create', 'accept_then_timeout', '--times', '1');
  await givesUp('issue_refund', lamp);
  const again = await call('issue_refund', lamp, { outcome: ['performed', 'already_performed'], cents: 4900 });
  const paid = refunds('LAMP-BRASS-1');
  assert.deepEqual(paid.map((refund) => refund.id), [again.refund_id], 'one effect, and it is the one that was told');
}

async function hangUpAndLook() {
  const units = { ...rug, units: [1] };
  fault('refunds.create', 'slow', '--times', '1', '--delay', '2500ms');
  await givesUp('issue_refund', units);
  await client.close();
  await connect();
  await list(); // the SDK checks results by what it has listed
  const settled = await until('the write is on record', async () => {
    const { structuredContent } = await client.callTool({ name: 'list_effects', arguments: { ticket_id: 'T-4188' } });
    return structuredContent.effects?.find((e) => e.tool === 'issue_refund' && e.cents === 4000 && e.outcome.endsWith('performed'));
  });
  await call('issue_refund', units, { outcome: 'already_performed', refund_id: settled.effect_id });
  assert.equal(refunds('RUG-JUTE-2').length, 1);
}

async function lostBefore() {
  const message = { ticket_id: 'T-4188', seller_id: 'S-NORTHLOOM', text: 'The rug has a pulled thread.' };
  fault('messages.create', 'timeout_before_accept', '--times', '1');
  await call('message_seller', message, { outcome: 'not_performed', reason: 'absent_after_lookup', retry: 'wait_and_retry' });
  await call('message_seller', message, { outcome: 'performed', attempts: 2 });
}

async function lostForGood() {
  const { refunded_cents } = await call('get_order', { order_id: 'SU-88510' }, { outcome: 'found' });
  const units = { ...rug, units: [2], expected_refunded_cents: refunded_cents };
  fault('refunds.create', 'accept_then_timeout', '--times', '1');
  fault('refunds.list', 'slow', '--times', '1', '--delay', '1ms'); // the look before the send is answered
  fault('refunds.list', 'down'); // those after it are not
  const lost = { outcome: 'unknown', reason: 'lookup_unavailable', retry: 'never', do_not_retry: true };
  await call('issue_refund', units, lost);
  assert.equal(refunds('RUG-JUTE-2').length, 2, 'it was paid');
  counterfoilRuns('sandbox', 'reset', '--faults');
  await call('issue_refund', units, { outcome: 'already_performed', evidence: 'provider_lookup' });
  assert.equal(refunds('RUG-JUTE-2').length, 2, 'it was paid once');
}

async function overTheCeiling() {
  const { refunded_cents } = await call('get_order', { order_id: 'SU-88510' }, { outcome: 'found' });
  const args = { ...sofa, expected_refunded_cents: refunded_cents };
  await call('issue_refund', args, { outcome: 'not_performed', reason: 'approval_required', retry: 'never' });
  assert.equal(refunds('SOFA-LINEN-3').length, 0);
}

// givesUp makes a call and gives up on it after 1 s, as the SDK does: it says so
// to the server, and no longer listens.
async function givesUp(tool, args) {
  const options = { timeout: 1000 };
  await assert.rejects(client.callTool({ name: tool, arguments: args }, undefined, options), { code: ErrorCode.RequestTimeout });
}

async function until(what, holds) {
  for (const end = Date.now() + patience; Date.now() < end; await pause(100)) {
    const found = await holds();
    if (found) return found;
  }
  throw new Error(`waited ${patience / 1000} s until ${what}`);
}

// What follows asks the authority itself, and tells it to misbehave.

function counterfoilRuns(...args) {
  return execFileSync(counterfoil, args, { encoding: 'utf8' });
}

function fault(operation, mode, ...more) {
  counterfoilRuns('sandbox', 'fault', operation, mode, ...more);
}

function refunds(item) {
  const { effects } = JSON.parse(counterfoilRuns('sandbox', 'effects', '--json'));
  return effects.filter((effect) => effect.kind === 'refund' && effect.item_id === item);
}

await main().catch((error) => {
  wrong++;
  console.log(`FAILED, ${over()}: ${error.stack}`);
});
console.log(`TypeScript SDK over ${over()}: ${checked} results checked, ${wrong} steps wrong`);
process.exit(wrong === 0 ? 0 : 1);
