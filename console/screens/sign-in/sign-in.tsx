import { type FormEvent, type JSX, useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { CompanyChoice as CompanyChoiceData, StartedSession } from '../../../client/client.ts';
import { usePreferences } from '../../app/preferences.tsx';
import { Avatar, Button } from '../../components/basics.tsx';
import { TextField } from '../../components/fields.tsx';
import { formatTime } from '../../components/time.tsx';
import { Icon, Logo, Spinner } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { api } from '../../data/client.ts';
import { demoUsers, signInDemoUser } from '../../data/demo-users.ts';
import { useWrite } from '../../data/forms.ts';
import { hasPasskeys, isStopped, signInWithPasskey } from '../../data/passkeys.ts';
import { useFilter } from '../../data/search.ts';
import { isLaptop } from '../../data/session.ts';
import { leavePage, signingIn } from '../../data/signed-in.ts';
import { shellText } from '../../text/shell.ts';
import { signInText } from '../../text/sign-in.ts';
import { languageNames, languages, useLocale, useText } from '../../text/text.ts';

/** Signing in: by a code, by a token, on the laptop by one click. What is typed here is in no storage and no address. */
const SignIn = (): JSX.Element => {
  const text = useText(signInText);
  const [next] = useFilter('next');
  const [why] = useFilter('why');
  const [byToken, setByToken] = useState(false);
  const enter = (): void => {
    // only a path of these pages
    void leavePage(`/console${next !== undefined && /^\/(?!\/)/.test(next) ? next : '/'}`);
  };
  return (
    <main className="sign-in">
      <div className="box">
        <Logo />
        <h1>{text.title}</h1>
        {why === 'ended' && (
          <p className="notice info" role="status">
            {text.ended}
          </p>
        )}
        {isLaptop && <DemoUsers onSignedIn={enter} />}
        <div className="card">{byToken ? <TokenForm onSignedIn={enter} /> : <CodeForm onSignedIn={enter} />}</div>
        {hasPasskeys && <PasskeyButton onSignedIn={enter} />}
        <Button look="quiet" onClick={() => setByToken(!byToken)}>
          {byToken ? text.byEmail : text.byToken}
        </Button>
        <LanguageChoice />
      </div>
    </main>
  );
};
export default SignIn;

/** For who cannot read the language of the browser: each by its own name. */
const LanguageChoice = (): JSX.Element => {
  const text = useText(shellText);
  const { language, setLanguage } = usePreferences();
  return (
    <div className="languages" role="group" aria-label={text.language}>
      {languages.map((each) => (
        <Button key={each} look="quiet" small lang={each} aria-pressed={each === language} onClick={() => setLanguage(each)}>
          {languageNames[each]}
        </Button>
      ))}
    </div>
  );
};

const DemoUsers = ({ onSignedIn }: { onSignedIn: () => void }): JSX.Element | null => {
  const text = useText(signInText);
  const names = useText(shellText);
  const { data } = useQuery({
    queryKey: ['demo-users'],
    queryFn: demoUsers,
    // opened before the product was ready
    refetchInterval: ({ state }) => (state.data && state.data.length > 0 ? false : 1_000),
  });
  const signIn = useWrite(signingIn(signInDemoUser), onSignedIn);
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
  const signIn = useWrite<undefined, StartedSession>(signingIn(signInWithPasskey), onSignedIn);
  return (
    <>
      {signIn.error && !isStopped(signIn.error) && <ProblemCard error={signIn.error} />}
      <Button look="quiet" isSoftDisabled={signIn.isPending} onClick={() => signIn.run(undefined)}>
        {text.byPasskey}
      </Button>
    </>
  );
};

const TokenForm = ({ onSignedIn }: { onSignedIn: () => void }): JSX.Element => {
  const text = useText(signInText);
  const [token, setToken] = useState('');
  const signIn = useWrite(
    signingIn((given: string) => api.createSession({ body: { token: given } })),
    onSignedIn,
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.run(token.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextField label={text.token} hint={text.tokenHint} type="password" required value={token} onText={setToken} />
      {signIn.error && <ProblemCard error={signIn.error} />}
      <Button type="submit" look="primary" isSoftDisabled={signIn.isPending}>
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
  const [companies, setCompanies] = useState<Companies>([]);
  const [wait, setWait] = useWait();
  const request = useWrite(
    (to: string) => api.createSignInCode({ body: { email: to } }),
    ({ data }) => {
      setRequestId(data.request_id);
      setCode('');
      setWait(secondsBetweenCodes);
    },
  );
  const signIn = useWrite(
    signingIn(
      (body: { request_id: string; code: string } | { company_id: number; accept: boolean }) => api.createSession({ body }),
      ({ data }) => !('companies' in data),
    ),
    ({ data }) => ('companies' in data ? setCompanies(data.companies) : onSignedIn()),
  );
  const startAgain = (): void => {
    setRequestId(undefined);
    setCode('');
    signIn.reset();
    request.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (requestId === undefined) request.run(email.trim());
    else signIn.run({ request_id: requestId, code: code.trim() });
  };
  const error = signIn.error ?? request.error;
  if (companies.length > 0) return <CompanyChoice companies={companies} error={error} onChoose={(company) => signIn.run(company)} />;
  return (
    <form onSubmit={submit}>
      <TextField
        label={text.email}
        type="email"
        autoComplete="username"
        required
        readOnly={requestId !== undefined}
        value={email}
        onText={setEmail}
      />
      {requestId !== undefined && (
        <TextField
          label={text.code}
          hint={text.codeSent}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onText={setCode}
        />
      )}
      {error && <ProblemCard error={error} />}
      <Button type="submit" look="primary" isSoftDisabled={request.isPending || signIn.isPending}>
        {requestId === undefined ? text.sendCode : text.signIn}
      </Button>
      {requestId !== undefined && (
        <OtherWays
          wait={wait}
          isPending={request.isPending}
          onAnother={() => {
            signIn.reset();
            request.run(email.trim());
          }}
          onStartAgain={startAgain}
        />
      )}
    </form>
  );
};

type Companies = CompanyChoiceData['companies'];
type CompanyChoiceProps = { companies: Companies; error: unknown; onChoose: (company: { company_id: number; accept: boolean }) => void };

/** For a user of several companies. Anyone adds an address to a company of any name: one that is new says who did. */
const CompanyChoice = ({ companies, error, onChoose }: CompanyChoiceProps): JSX.Element => {
  const text = useText(signInText);
  const { tag } = useLocale();
  const day = (at: string): string => formatTime(tag, at, { dateStyle: 'medium' });
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <strong>{text.chooseCompany}</strong>
      {companies.map(({ id, name, added_by, added_at, last_signed_in_at }) =>
        last_signed_in_at === null ? (
          <div key={id} className="stack">
            <span className="muted">{added_by === null ? text.addedByOperator(day(added_at)) : text.addedBy(added_by, day(added_at))}</span>
            <Button onClick={() => onChoose({ company_id: id, accept: true })}>{text.acceptCompany(name)}</Button>
          </div>
        ) : (
          <Button key={id} onClick={() => onChoose({ company_id: id, accept: false })}>
            {name}
          </Button>
        ),
      )}
      {error ? <ProblemCard error={error} /> : null}
    </form>
  );
};

type OtherWaysProps = { wait: number; isPending: boolean; onAnother: () => void; onStartAgain: () => void };

/** Where the code does not come, or the address was wrong. */
const OtherWays = ({ wait, isPending, onAnother, onStartAgain }: OtherWaysProps): JSX.Element => {
  const text = useText(signInText);
  return (
    <div className="row">
      <Button look="quiet" small isSoftDisabled={wait > 0 || isPending} onClick={onAnother}>
        {wait > 0 ? text.sendAgainIn(wait) : text.sendAgain}
      </Button>
      <Button look="quiet" small onClick={onStartAgain}>
        {text.otherAddress}
      </Button>
    </div>
  );
};

const secondsBetweenCodes = 30;

/** Seconds to wait, counted down. */
const useWait = (): [number, (seconds: number) => void] => {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    if (left === 0) return undefined;
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return [left, setLeft];
};
