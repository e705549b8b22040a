import { Readable } from 'node:stream';

const target = 'x-amz-target';
const [separate, together] = ['DynamoDB_20120810.BatchExecuteStatement', 'DynamoDB_20120810.ExecuteTransaction'];
const [separateStart, togetherStart] = ['{"Statements":[', '{"TransactStatements":['];
const isOtherThanWrite = /"Statement":"(?!INSERT |UPDATE |DELETE )/;
/** What a statement of a batch is refused for; a transaction that fails for anything else says nothing of the batch. */
const refusals = new Set(['ConditionalCheckFailed', 'DuplicateItem']);
/** The emulator names the first refused statement of a transaction alone; a batch with more than these is quicker as it was given. */
const mostRefused = 3;

/** A call with many writes, as it was given or as one transaction. */
export const isBatchOfStatements = (request) => [separate, together].includes(request.getHeader(target));

/**
 * The emulator commits each statement of a batch by itself and waits for the disk each time. Here a batch of writes is tried as one transaction:
 * where all succeed, that says the same of each. Where one is refused nothing was written, and the others are tried without it; after a few such
 * the batch goes as it was given.
 *
 * @param request makes a request, as that of node:http
 */
export const inOneTransaction = (request) => (options, onAnswer) => {
  if (options.headers?.[target] !== separate) return request(options, onAnswer);
  let given;
  let latest;
  let whole;
  const first = request(options, (answer) => (given === undefined ? onAnswer(answer) : follow(answer)));
  const { end, destroy } = first;
  const again = (headers, then, ...body) => {
    latest = request({ ...options, headers: { ...options.headers, ...headers } }, then);
    latest.once('error', (error) => first.emit('error', error));
    latest.end(...body);
  };
  const follow = (answer) => {
    const isDone = answer.statusCode === 200;
    if (isDone && whole === undefined) return onAnswer(answer);
    let text = '';
    answer.on('data', (chunk) => (text += chunk.toString('latin1')));
    answer.once('error', (error) => first.emit('error', error));
    answer.once('end', () => {
      if (isDone) return onAnswer(answerOf(whole, answer));
      whole ??= { statements: JSON.parse(given[0]).Statements, refused: new Map() };
      if (!noteRefused(whole, text)) return again({}, onAnswer, ...given);
      const rest = whole.statements.filter((_, place) => !whole.refused.has(place));
      const body = JSON.stringify({ TransactStatements: rest });
      again({ [target]: together, 'content-length': Buffer.byteLength(body, given[1]) }, follow, body, given[1]);
    });
  };
  first.end = (text, ...others) => {
    if (typeof text !== 'string' || !text.startsWith(separateStart) || isOtherThanWrite.test(text)) return end.call(first, text, ...others);
    given = [text, ...others];
    first.setHeader(target, together);
    const body = togetherStart + text.slice(separateStart.length);
    first.setHeader('content-length', Buffer.byteLength(body, others[0]));
    return end.call(first, body, ...others);
  };
  first.destroy = (error) => {
    if (latest) latest.destroy(error);
    else destroy.call(first, error);
    return first;
  };
  return first;
};

/** Whether the transaction failed for one statement that was refused, and others are left to try without it. */
function noteRefused({ statements, refused }, text) {
  const reasons = text.includes('"CancellationReasons"') ? JSON.parse(text).CancellationReasons : [];
  const at = reasons.findIndex(({ Code }) => Code !== 'None');
  if (!refusals.has(reasons[at]?.Code) || refused.size === mostRefused) return false;
  const left = statements.keys().filter((place) => !refused.has(place));
  const { Code, Message } = reasons[at];
  refused.set([...left][at], { Code, Message });
  return refused.size < statements.length;
}

/** As the emulator answers the batch: what was refused is named at its place. */
function answerOf({ statements, refused }, { statusCode, statusMessage, headers }) {
  const Responses = statements.map((_, place) => (refused.has(place) ? { Error: refused.get(place) } : {}));
  const { 'content-length': _length, 'x-amz-crc32': _sum, ...others } = headers;
  return Object.assign(Readable.from([Buffer.from(JSON.stringify({ Responses }), 'latin1')]), {
    statusCode,
    statusMessage,
    headers: others,
  });
}
