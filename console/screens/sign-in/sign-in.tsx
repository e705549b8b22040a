import { type FormEvent, type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Avatar, Button, Field } from '../../components/basics.tsx';
import { Icon, Logo, Spinner } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { hasPasskeys, isStopped, signInWithPasskey } from '../../data/passkeys.ts';
import { queryClient } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { isLaptop, rememberSignedIn, type Role } from '../../data/session.ts';
import { shellText } from '../../text/shell.ts';
import { signInText } from '../../text/sign-in.ts';
import { useText } from '../../text/text.ts';

interface DemoUser {
  company_id: number;
  company: string;
  role: Role;
}

/** Signing in: by a code, by a token, on the laptop by one click. What is typed here is in no storage and no address. */
const SignIn = (): JSX.Element => {
  const text = useText(signInText);
  const navigate = useNavigate();
  const [next] = useFilter('next');
  const [byToken, setByToken] = useState(false);
  const enter = (): void => {
    queryClient.clear();
    rememberSignedIn(true);
    // only a path of these pages
    const target = next !== undefined && /^\/(?!\/)/.test(next) ? next : '/inbox';
    void navigate({ href: `/console${target}` } as never);
  };
  return (
    <main className="sign-in">
      <div className="box">
        <Logo />
        <h1>{text.title}</h1>
        {isLaptop && <DemoUsers onSignedIn={enter} />}
        <div className="card">{byToken ? <TokenForm onSignedIn={enter} /> : <CodeForm onSignedIn={enter} />}</div>
        {hasPasskeys && <PasskeyButton onSignedIn={enter} />}
        <Button look="quiet" onClick={() => setByToken(!byToken)}>
          {byToken ? text.byEmail : text.byToken}
        </Button>
      </div>
    </main>
  );
};
export default SignIn;

const DemoUsers = ({ onSignedIn }: { onSignedIn: () => void }): JSX.Element | null => {
  const text = useText(signInText);
  const names = useText(shellText);
  const { data } = useQuery({
    queryKey: ['demo-users'],
    queryFn: async () => ((await (await fetch('/_local/sessions')).json()) as { data: DemoUser[] }).data,
    // opened before the product was ready
    refetchInterval: ({ state }) => (state.data && state.data.length > 0 ? false : 1_000),
  });
  const signIn = useWrite(async ({ company_id, role }: DemoUser) => {
    const answer = await fetch('/_local/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ company_id, role }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }, onSignedIn);
  const companies = [...new Set((data ?? []).map(({ company }) => company))];
  if (!data || data.length === 0) return null;
  return (
    <section className="stack" aria-label={text.demo}>
      <p className="muted">{text.demoHint}</p>
      {companies.map((company) => (
        <div key={company} className="stack" style={{ gap: 6 }}>
          <h2>{company}</h2>
          <div className="tiles">
            {data
              .filter((each) => each.company === company)
              .toReversed()
              .map((user) => (
                <button key={user.role} type="button" className="card tile" onClick={() => signIn.run(user)} disabled={signIn.isPending}>
                  <Avatar name={`${user.role} ${company}`} size={28} />
                  <span className="grow">
                    {names[user.role]}
                    <small className="cut">{company}</small>
                  </span>
                  {signIn.isPending && signIn.variables === user ? <Spinner /> : <Icon name="right" />}
                </button>
              ))}
          </div>
        </div>
      ))}
      {signIn.error && <ProblemCard error={signIn.error} />}
    </section>
  );
};

const PasskeyButton = ({ onSignedIn }: { onSignedIn: () => void }): JSX.Element => {
  const text = useText(signInText);
  const signIn = useWrite<undefined, void>(() => signInWithPasskey(), onSignedIn);
  return (
    <>
      {signIn.error && !isStopped(signIn.error) && <ProblemCard error={signIn.error} />}
      <Button look="quiet" disabled={signIn.isPending} onClick={() => signIn.run(undefined)}>
        {text.byPasskey}
      </Button>
    </>
  );
};

const TokenForm = ({ onSignedIn }: { onSignedIn: () => void }): JSX.Element => {
  const text = useText(signInText);
  const [token, setToken] = useState('');
  const signIn = useWrite((given: string) => api.createSession({ body: { token: given } }), onSignedIn);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.run(token.trim());
  };
  return (
    <form onSubmit={submit}>
      <Field id="token" label={text.token} hint={text.tokenHint}>
        <input
          id="token"
          className="input"
          type="password"
          autoComplete="off"
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      </Field>
      {signIn.error && <ProblemCard error={signIn.error} />}
      <Button type="submit" look="primary" disabled={signIn.isPending}>
        {text.signIn}
      </Button>
    </form>
  );
};

const CodeForm = ({ onSignedIn }: { onSignedIn: () => void }): JSX.Element => {
  const text = useText(signInText);
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [requestId, setRequestId] = useState<string>();
  const [companies, setCompanies] = useState<readonly { id: number; name: string }[]>([]);
  const request = useWrite(
    (to: string) => api.createSignInCode({ body: { email: to } }),
    ({ data }) => setRequestId(data.request_id),
  );
  const signIn = useWrite(
    (body: { request_id: string; code: string } | { company_id: number }) => api.createSession({ body }),
    ({ data }) => ('companies' in data ? setCompanies(data.companies) : onSignedIn()),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (requestId === undefined) request.run(email.trim());
    else signIn.run({ request_id: requestId, code: code.trim() });
  };
  const error = signIn.error ?? request.error;
  if (companies.length > 0)
    return (
      <form onSubmit={(event) => event.preventDefault()}>
        <strong>{text.chooseCompany}</strong>
        {companies.map(({ id, name }) => (
          <Button key={id} onClick={() => signIn.run({ company_id: id })}>
            {name}
          </Button>
        ))}
        {error && <ProblemCard error={error} />}
      </form>
    );
  return (
    <form onSubmit={submit}>
      <Field id="email" label={text.email}>
        <input
          id="email"
          className="input"
          type="email"
          autoComplete="username"
          required
          readOnly={requestId !== undefined}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      {requestId !== undefined && (
        <Field id="code" label={text.code} hint={text.codeSent}>
          <input
            id="code"
            className="input"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
      )}
      {error && <ProblemCard error={error} />}
      <Button type="submit" look="primary" disabled={request.isPending || signIn.isPending}>
        {requestId === undefined ? text.sendCode : text.signIn}
      </Button>
    </form>
  );
};
