const target = 'x-amz-target';
const [separate, together] = ['DynamoDB_20120810.BatchExecuteStatement', 'DynamoDB_20120810.ExecuteTransaction'];
const [separateStart, togetherStart] = ['{"Statements":[', '{"TransactStatements":['];
const isOtherThanWrite = /"Statement":"(?!INSERT |UPDATE |DELETE )/;

/**
 * The emulator commits each statement of a batch by itself and waits for the disk each time. Here a batch of writes is tried as one transaction:
 * where all succeed, that says the same of each. Where one is refused nothing was written, and the batch goes as it was given.
 *
 * @param request makes a request, as that of node:http
 */
export const inOneTransaction = (request) => (options, onAnswer) => {
  if (options.headers?.[target] !== separate) return request(options, onAnswer);
  let given;
  let again;
  const first = request(options, (answer) => {
    if (given === undefined || answer.statusCode === 200) return onAnswer(answer);
    answer.resume();
    answer.once('error', (error) => first.emit('error', error));
    answer.once('end', () => {
      again = request(options, onAnswer);
      again.once('error', (error) => first.emit('error', error));
      again.end(...given);
    });
  });
  const { end, destroy } = first;
  first.end = (text, ...others) => {
    if (typeof text !== 'string' || !text.startsWith(separateStart) || isOtherThanWrite.test(text)) return end.call(first, text, ...others);
    given = [text, ...others];
    first.setHeader(target, together);
    const body = togetherStart + text.slice(separateStart.length);
    first.setHeader('content-length', Buffer.byteLength(body, others[0]));
    return end.call(first, body, ...others);
  };
  first.destroy = (error) => {
    if (again) again.destroy(error);
    else destroy.call(first, error);
    return first;
  };
  return first;
};
