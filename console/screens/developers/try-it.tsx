import { type FormEvent, type JSX, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Badge, Button } from '../../components/basics.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { CheckField, LongTextField, TextField } from '../../components/fields.tsx';
import { Spinner } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { fetchHere } from '../../data/client.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { CodeBox, readable } from '../../components/code-box.tsx';
import { type Described, type Given, requestOf } from './openapi.ts';

interface Answered {
  status: number;
  ms: number;
  requestId: string | null;
  text: string;
}

/** The first characters of an answer: more would make the page slow. */
const mostShown = 50_000;

const call = async ({ path, init }: { path: string; init: RequestInit }): Promise<Answered> => {
  const began = performance.now();
  // as the client does: a form of another page could not add it
  const headers = { ...Object.fromEntries(new Headers(init.headers)), ...(init.method === 'GET' ? {} : { 'x-session-request': '1' }) };
  const answer = await fetchHere(`${location.origin}${path}`, { ...init, headers, signal: AbortSignal.timeout(30_000) });
  const type = answer.headers.get('content-type') ?? '';
  const text = /json|text/.test(type)
    ? readable(await answer.text()).slice(0, mostShown)
    : `${(await answer.arrayBuffer()).byteLength} B ${type}`;
  return { status: answer.status, ms: Math.round(performance.now() - began), requestId: answer.headers.get('x-request-id'), text };
};

/** Calls an operation as the user who is signed in, and shows what comes back as it is. What writes is called when the user agreed to it. */
export const TryIt = ({ operation }: { operation: Described }): JSX.Element => {
  const text = useText(developersText);
  const number = useNumber();
  const { method, parameters, body } = operation;
  const [given, setGiven] = useState<Given>({ values: {}, body: body === undefined ? '' : JSON.stringify(body, undefined, 2) });
  const [isSure, setSure] = useState(false);
  const [missing, setMissing] = useState<{ names: readonly string[]; isBodyWrong: boolean }>({ names: [], isBodyWrong: false });
  const tried = useMutation({ mutationFn: call, retry: false });
  const writes = method !== 'GET';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (tried.isPending || (writes && !isSure)) return;
    const request = requestOf(operation, given);
    setMissing('missing' in request ? { names: request.missing, isBodyWrong: request.isBodyWrong } : { names: [], isBodyWrong: false });
    if (!('missing' in request)) tried.mutate(request);
  };
  return (
    <form className="form try-it" noValidate onSubmit={submit}>
      {parameters
        .filter((each) => each.in === 'path' || each.in === 'query')
        .map(({ name, in: place, required }) => (
          <TextField
            key={name}
            label={name}
            hint={required || place === 'path' ? text.required : undefined}
            problem={missing.names.includes(name) ? text.tryMissing : undefined}
            dir="ltr"
            value={given.values[name] ?? ''}
            onText={(value) => setGiven({ ...given, values: { ...given.values, [name]: value } })}
          />
        ))}
      {body !== undefined && (
        <LongTextField
          label={text.tryBody}
          problem={missing.isBodyWrong ? text.tryNoJson : undefined}
          className="input code-field"
          dir="ltr"
          rows={8}
          spellCheck={false}
          value={given.body}
          onText={(value) => setGiven({ ...given, body: value })}
        />
      )}
      {writes && <CheckField label={text.trySure} checked={isSure} onCheck={setSure} />}
      <span className="row">
        <Button type="submit" look="primary" isSoftDisabled={tried.isPending || (writes && !isSure)}>
          {tried.isPending && <Spinner />}
          {text.tryCall}
        </Button>
      </span>
      {tried.error && <ProblemCard error={tried.error} />}
      {tried.data && (
        <>
          <p className="row" role="status">
            <Badge look={tried.data.status < 400 ? 'good' : 'bad'}>HTTP {tried.data.status}</Badge>
            <span className="numbers">{number(tried.data.ms)} ms</span>
            {tried.data.requestId !== null && <code className="muted cut">{tried.data.requestId}</code>}
          </p>
          <CodeBox label={text.response} value={tried.data.text === '' ? text.emptyBody : tried.data.text} />
        </>
      )}
    </form>
  );
};
