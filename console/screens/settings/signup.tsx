import { type JSX, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from '@tanstack/react-router';
import { useOwnDocument } from '../../app/own-document.ts';
import { Button } from '../../components/basics.tsx';
import { TextField } from '../../components/fields.tsx';
import { Icon, Spinner } from '../../components/icons.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { type Answer, api, SwitchboardProblem } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { type DialogOutcome, loadProviderScript, type NewSignup, openDialog, signupStep } from '../../data/provider-dialog.ts';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { signupText } from '../../text/signup.ts';
import { useText } from '../../text/text.ts';
import { Findings } from './connect-walk.tsx';

type Completed = Answer<'completeSignup'>['data'];
type Finished = Extract<DialogOutcome, { kind: 'finished' }>;

const reachable = ['started', 'authorised', 'account_known', 'registered', 'subscribed', 'connected'] as const;

/** From a press to a number that receives: the provider's dialog, and the steps after it. It has a document of its own, which lets the script in. */
const Signup = (): JSX.Element => {
  const text = useText(signupText);
  const settings = useText(settingsText);
  const shell = useText(shellText);
  const mayWrite = useMay('admin');
  const isOwnDocument = useOwnDocument();
  const [nth, setNth] = useState(0);
  return (
    <Page title={text.title}>
      {!mayWrite && <p className="notice info">{settings.readOnly(shell.admin)}</p>}
      {mayWrite && isOwnDocument && <Walk key={nth} onAgain={() => setNth(nth + 1)} />}
    </Page>
  );
};
export default Signup;

const Walk = ({ onAgain }: { onAgain: () => void }): JSX.Element => {
  const text = useText(signupText);
  const [signup, setSignup] = useState<NewSignup>();
  const create = useWrite(
    (_: undefined, call) => api.createSignup(call),
    ({ data }) => setSignup(data),
  );
  const { run } = create;
  const wasCreated = useRef(false);
  useEffect(() => {
    if (wasCreated.current) return;
    wasCreated.current = true;
    run(undefined);
  }, [run]);
  const isUnavailable = create.error instanceof SwitchboardProblem && create.error.code === 'signup_unavailable';
  return (
    <div className="walk">
      {isUnavailable && <Notice title={text.unavailable} text={text.unavailableFix} />}
      {create.error && !isUnavailable && <ProblemCard error={create.error} onRetry={() => run(undefined)} />}
      {!create.error && !signup && <Working text={text.preparing} />}
      {signup && <Dialog signup={signup} onAgain={onAgain} />}
      {!signup && <ByHand />}
    </div>
  );
};

/** The script, the window, and the steps after it. */
const Dialog = ({ signup, onAgain }: { signup: NewSignup; onAgain: () => void }): JSX.Element => {
  const text = useText(signupText);
  const script = useScript(signup, onAgain);
  const [outcome, setOutcome] = useState<DialogOutcome>();
  const [isOpen, setOpen] = useState(false);
  if (outcome?.kind === 'finished') return <Steps signup={signup} finished={outcome} onAgain={onAgain} />;
  const open = (): void => {
    if (typeof script === 'string') return;
    setOpen(true);
    setOutcome(undefined);
    void openDialog(script, signup).then((end) => {
      setOpen(false);
      setOutcome(end);
    });
  };
  return (
    <>
      <p>{text.intro}</p>
      {script === 'failed' && <Notice title={text.noScript} text={text.noScriptFix} />}
      {outcome?.kind === 'cancelled' && <Notice title={text.cancelled} text={text.cancelledFix} />}
      {outcome?.kind === 'stopped' && (
        <Notice title={text.stopped} text={text.stoppedFix}>
          <q>{outcome.message}</q>
        </Notice>
      )}
      {script === 'loading' && <Working text={text.preparing} />}
      {isOpen && <Working text={text.inDialog} />}
      <div className="actions">
        <Button look="primary" icon="phone" isSoftDisabled={typeof script === 'string' || isOpen} onClick={open}>
          {text.open}
        </Button>
        <ByHandLink />
      </div>
      {signup.hosted_url !== null && (
        <p className="muted">
          <a href={signup.hosted_url} target="_blank" rel="noopener noreferrer">
            {text.hosted}
          </a>
          . {text.hostedHint}
        </p>
      )}
    </>
  );
};

/** A signup is renewed shortly before its time is over. */
const renewMs = 9 * 60_000;

const useScript = (signup: NewSignup, onLate: () => void) => {
  const [script, setScript] = useState<Awaited<ReturnType<typeof loadProviderScript>> | 'loading' | 'failed'>('loading');
  useEffect(() => {
    loadProviderScript(signup).then(
      (loaded) => setScript(() => loaded),
      () => setScript('failed'),
    );
    const timer = setTimeout(onLate, renewMs);
    return () => clearTimeout(timer);
    // a signup is shown once
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [signup]);
  return script;
};

const Steps = ({ signup, finished, onAgain }: { signup: NewSignup; finished: Finished; onAgain: () => void }): JSX.Element => {
  const text = useText(signupText);
  const [pin, setPin] = useState('');
  const [isPinStored, setPinStored] = useState(false);
  const { kind: _, ...given } = finished;
  const complete = useWrite((own: string, call) =>
    api.completeSignup({ params: { id: signup.id }, body: { state: signup.state, ...given, ...(own === '' ? {} : { pin: own }) } }, call),
  );
  const { run } = complete;
  const wasRun = useRef(false);
  useEffect(() => {
    if (wasRun.current) return;
    wasRun.current = true;
    run('');
  }, [run]);
  const result = complete.data?.data;
  const at = useStep(signup.id, complete.isPending, result);
  return (
    <>
      <StepList at={at} isDone={result?.status === 'connected'} />
      <div role="status">{complete.isPending && <Working text={text.working} />}</div>
      {!complete.isPending && complete.error && (
        <Refused error={complete.error} pin={pin} onPin={setPin} onGoOn={() => run(pin)} onAgain={onAgain} />
      )}
      {result && <Result result={result} onGoOn={() => run(pin)} />}
      {result?.status === 'connected' && result.pin !== null && !isPinStored && (
        <SecretDialog title={text.pinOnce} secrets={[{ name: text.pinMade, value: result.pin }]} onClose={() => setPinStored(true)} />
      )}
    </>
  );
};

/** Read while it is completed, so that a user sees it go on. */
const useStep = (id: number, isPending: boolean, result: Completed | undefined): number => {
  const [status, setStatus] = useState<Completed['status']>('started');
  useEffect(() => {
    if (!isPending) return;
    const look = (): void => void signupStep(id).then(setStatus, () => undefined);
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  }, [id, isPending]);
  return reachable.findIndex((each) => each === (result?.status ?? status));
};

const StepList = ({ at, isDone }: { at: number; isDone: boolean }): JSX.Element => {
  const text = useText(signupText);
  return (
    <ol className="steps">
      {reachable.map((step, index) => (
        <li key={step} className={isDone || index < at ? 'done' : ''} {...(index === at ? { 'aria-current': 'step' as const } : {})}>
          <span className="mark">{isDone || index < at ? <Icon name="check" size={13} /> : index + 1}</span>
          {text[`step_${step}`]}
        </li>
      ))}
    </ol>
  );
};

const Result = ({ result, onGoOn }: { result: Completed; onGoOn: () => void }): JSX.Element => {
  const text = useText(signupText);
  const isConnected = result.status === 'connected';
  return (
    <>
      {isConnected && (
        <div className="notice good">
          <Icon name="check" />
          <strong>{text.done(result.phone ?? '')}</strong>
        </div>
      )}
      {result.findings.some(({ level }) => level !== 'ok') && <Findings findings={result.findings} />}
      <div className="actions">
        {!isConnected && (
          <Button look="primary" onClick={onGoOn}>
            {text.goOn}
          </Button>
        )}
        {isConnected && (
          <Link className="button primary" to="/inbox" reloadDocument>
            {text.toInbox}
          </Link>
        )}
        {result.number_id !== null && (
          <Link className="button" to="/settings/numbers/$id" params={{ id: result.number_id }} reloadDocument>
            {text.toNumber}
          </Link>
        )}
      </div>
    </>
  );
};

interface RefusedProps {
  error: unknown;
  pin: string;
  onPin: (pin: string) => void;
  onGoOn: () => void;
  onAgain: () => void;
}

/** Why it did not go on, in words, and what to do: the number's own PIN, once more, or from the beginning. */
const Refused = ({ error, pin, onPin, onGoOn, onAgain }: RefusedProps): JSX.Element => {
  const text = useText(signupText);
  const problem = error instanceof SwitchboardProblem ? error : undefined;
  const why = `why_${String(problem?.details['reason'])}`;
  if (problem?.code === 'signup_refused')
    return (
      <>
        <Notice title={text.refused} text={why in text ? text[why as keyof typeof text & `why_${string}`] : problem.message} />
        <div className="actions">
          <Button look="primary" onClick={onAgain}>
            {text.again}
          </Button>
          <ByHandLink />
        </div>
      </>
    );
  if (problem?.code === 'validation_failed' && 'pin' in problem.errors)
    return (
      <>
        <Notice title={text.pinTitle} text={text.pinText} />
        <TextField label={text.pin} inputMode="numeric" maxLength={6} value={pin} onText={onPin} />
        <div className="actions">
          <Button look="primary" disabled={!/^\d{6}$/.test(pin)} onClick={onGoOn}>
            {text.goOn}
          </Button>
        </div>
      </>
    );
  return <ProblemCard error={error} onRetry={onGoOn} />;
};

const Notice = ({ title, text, children }: { title: string; text: string; children?: ReactNode }): JSX.Element => (
  <div className="notice warn" role="alert">
    <Icon name="alert" />
    <div className="grow">
      <strong>{title}</strong>
      <p>{text}</p>
      {children}
    </div>
  </div>
);

const Working = ({ text }: { text: string }): JSX.Element => (
  <p className="row muted">
    <Spinner />
    {text}
  </p>
);

const ByHandLink = (): JSX.Element => {
  const text = useText(signupText);
  return (
    <Link className="button" to="/settings/numbers/connect" reloadDocument>
      {text.byHand}
    </Link>
  );
};
const ByHand = (): JSX.Element => (
  <div className="actions">
    <ByHandLink />
  </div>
);
