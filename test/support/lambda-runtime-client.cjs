// What stands for the native part of AWS's runtime client, which is compiled for Lambda: the three calls of the Runtime API that it makes.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
const { registerHooks } = require('node:module');
const { request } = require('node:http');
const { pathToFileURL } = require('node:url');

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node'
      ? { url: pathToFileURL(__filename).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context),
});

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
const call = (method, path, body) =>
  new Promise((resolve, reject) => {
    const sent = request({ host, port, method, path: `/2018-06-01/runtime/invocation/${path}` }, (answer) => {
      let bodyJson = '';
      answer.setEncoding('utf8');
      answer.on('data', (text) => (bodyJson += text));
      answer.once('end', () => resolve({ bodyJson, headers: answer.headers }));
    });
    sent.once('error', reject);
    sent.end(body);
  });

let answered;
module.exports = {
  // the native part answers before it returns
  next: async () => {
    await answered;
    return call('GET', 'next');
  },
  done: (id, body) => void (answered = call('POST', `${id}/response`, body)),
  error: (id, body) => void (answered = call('POST', `${id}/error`, body)),
};
