import { type JSX, useEffect, useRef, useState } from 'react';
import { Link } from '@tanstack/react-router';
import { Badge, Button } from '../../components/basics.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { TextField, useProblemOf } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Icon, Spinner } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Answer, api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

type Finding = Answer<'checkNumber'>['data']['findings'][number];
type Connection = Answer<'connectNumber'>['data'];

/** Where the walk is: `open` while nothing is known of the step. */
type Outcome = 'open' | 'good' | 'wrong';

/** The steps of the walk, and how the present one goes. */
export const Steps = ({ at, outcome }: { at: 0 | 1 | 2 | 3; outcome: Outcome }): JSX.Element => {
  const text = useText(settingsText);
  return (
    <ol className="steps">
      {[text.stepIds, text.stepCheck, text.stepConnect, text.stepReady].map((name, index) => (
        <li
          key={name}
          className={index < at || (index === at && outcome === 'good') ? 'done' : index === at && outcome === 'wrong' ? 'wrong' : ''}
          {...(index === at ? { 'aria-current': 'step' as const } : {})}
        >
          <span className="mark">{index < at || (index === at && outcome === 'good') ? <Icon name="check" size={13} /> : index + 1}</span>
          {name}
        </li>
      ))}
    </ol>
  );
};

/** Checking a number at the provider and connecting it, and what is known of it by now. A new one is checked at once. */
const useWalk = (numberId: number, isNew: boolean) => {
  const params = { id: numberId };
  const problemOf = useProblemOf();
  const [connection, setConnection] = useState<Connection>();
  const check = useWrite(
    (_: undefined, call) => api.checkNumber({ params }, call),
    () => {
      setConnection(undefined);
      void refresh('getNumber', 'listNumbers');
    },
  );
  const connect = useWrite(
    (pin: string, call) => api.connectNumber({ params, body: pin === '' ? {} : { pin } }, call),
    ({ data }) => {
      setConnection(data);
      void refresh('getNumber', 'listNumbers', 'listTemplates', 'listMachineTokens');
    },
  );
  const { run: runCheck } = check;
  const wasChecked = useRef(false);
  useEffect(() => {
    if (!isNew || wasChecked.current) return;
    wasChecked.current = true;
    runCheck(undefined);
  }, [isNew, runCheck]);
  const checked = check.data?.data;
  const findings = connection?.findings ?? checked?.findings ?? [];
  return {
    connection,
    findings,
    isKnown: connection !== undefined || checked !== undefined,
    isConnected: connection?.is_connected ?? checked?.is_ready ?? false,
    // what connecting mends is no reason to stop before it
    isRefused: !connection && findings.length === 1 && findings[0]?.level === 'wrong',
    isBusy: check.isPending || connect.isPending,
    error: check.error ?? connect.error,
    pinProblem: problemOf(connect.error, 'pin'),
    runCheck: () => runCheck(undefined),
    runConnect: connect.run,
  };
};
type Walk = ReturnType<typeof useWalk>;

/** Where the steps are: what is wrong before connecting was tried is not the step's own. */
const stepOf = ({ connection, isKnown, isConnected, isRefused }: Walk): { at: 1 | 2 | 3; outcome: Outcome } => {
  if (isConnected) return { at: 3, outcome: 'good' };
  if (!isKnown) return { at: 1, outcome: 'open' };
  if (isRefused) return { at: 1, outcome: 'wrong' };
  return { at: 2, outcome: connection ? 'wrong' : 'open' };
};

/** Checks a stored number and connects it. What is wrong is shown with its remedy, and the secrets can be replaced right here. */
export const ConnectWalk = ({ numberId, isNew }: { numberId: number; isNew: boolean }): JSX.Element => {
  const text = useText(settingsText);
  const [pin, setPin] = useState('');
  const [isReplacing, setReplacing] = useState(false);
  const walk = useWalk(numberId, isNew);
  const { isKnown, isConnected, isBusy, runCheck } = walk;
  const mayConnect = isKnown && !isConnected && !walk.isRefused;
  const connect = (): void => walk.runConnect(pin);
  return (
    <div className="walk">
      {isNew && <Steps {...stepOf(walk)} />}
      {walk.error && <ProblemCard error={walk.error} />}
      <WalkState walk={walk} />
      {mayConnect && (
        <TextField
          label={text.pin}
          hint={text.pinHint}
          inputMode="numeric"
          maxLength={6}
          value={pin}
          onText={setPin}
          problem={walk.pinProblem}
        />
      )}
      <div className="actions">
        {mayConnect && (
          <Button look="primary" isSoftDisabled={isBusy} onClick={connect}>
            {text.connect}
          </Button>
        )}
        <Button icon="refresh" isSoftDisabled={isBusy} onClick={runCheck}>
          {text.check}
        </Button>
        <Button icon="key" isSoftDisabled={isBusy} onClick={() => setReplacing(true)}>
          {text.replaceSecrets}
        </Button>
        {!isNew && (isConnected || !isKnown) && (
          <Button isSoftDisabled={isBusy} onClick={connect}>
            {text.connect}
          </Button>
        )}
        {isNew && isConnected && (
          <Link className="button" to="/settings/numbers/$id" params={{ id: numberId }}>
            {text.numbers}
          </Link>
        )}
      </div>
      {isReplacing && (
        <ReplaceSecrets
          numberId={numberId}
          onClose={() => setReplacing(false)}
          onReplaced={() => {
            setReplacing(false);
            runCheck();
          }}
        />
      )}
    </div>
  );
};

const WalkState = ({ walk: { connection, findings, isKnown, isConnected, isRefused, isBusy } }: { walk: Walk }): JSX.Element => {
  const text = useText(settingsText);
  const number = useNumber();
  return (
    <div role="status" className="stack">
      {isBusy && (
        <p className="row muted">
          <Spinner />
          {text.checking}
        </p>
      )}
      {!isBusy && isKnown && <Verdict isConnected={isConnected} isRefused={isRefused} findings={findings} />}
      {connection?.is_connected && connection.templates !== null && <p>{text.connectedText(number(connection.templates))}</p>}
      {connection && connection.former_webhook_token_ids.length > 0 && (
        <p className="muted">
          {text.formerTokens} <Link to="/developers/addresses">{connection.former_webhook_token_ids.join(', ')}</Link>
        </p>
      )}
      {!isBusy && findings.length > 0 && <Findings findings={findings} />}
    </div>
  );
};

type VerdictProps = { isConnected: boolean; isRefused: boolean; findings: readonly Finding[] };
const Verdict = ({ isConnected, isRefused, findings }: VerdictProps): JSX.Element => {
  const text = useText(settingsText);
  const hasRemarks = findings.some(({ level }) => level === 'doubtful');
  return (
    <div className={`notice ${isConnected ? 'good' : isRefused ? 'bad' : 'warn'}`}>
      <Icon name={isConnected ? 'check' : 'alert'} />
      <strong>
        {isConnected
          ? `${text.connected}. ${hasRemarks ? text.checkDoubtful : text.checkGood}.`
          : isRefused
            ? text.checkWrong
            : text.notConnected}
      </strong>
    </div>
  );
};

const levels = { ok: 'check', doubtful: 'alert', wrong: 'close' } as const;

/** A remedy names an operation of the API; here it names the button that calls it. */
const remedyHere = (remedy: string, { replaceSecrets, connect }: { replaceSecrets: string; connect: string }): string =>
  remedy
    .replaceAll('POST /api/v1/numbers/{id}/rotate', `“${replaceSecrets}”`)
    .replaceAll('POST /api/v1/numbers/{id}/connect', `“${connect}”`);

/** What was found, the worst first, with what to do. */
export const Findings = ({ findings }: { findings: readonly Finding[] }): JSX.Element => {
  const text = useText(settingsText);
  const names = { ok: text.levelOk, doubtful: text.levelDoubtful, wrong: text.levelWrong };
  const order = ['wrong', 'doubtful', 'ok'] as const;
  const sorted = findings.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  return (
    <ul className="findings">
      {sorted.map(({ level, message, remedy }) => (
        <li key={message} className={level}>
          <Icon name={levels[level]} label={names[level]} />
          <div className="grow" lang="en">
            <p>{message}</p>
            {remedy !== null && <p className="muted">{remedyHere(remedy, text)}</p>}
          </div>
          {level !== 'ok' && <Badge look={level === 'wrong' ? 'bad' : 'warn'}>{names[level]}</Badge>}
        </li>
      ))}
    </ul>
  );
};

type ReplaceSecretsProps = { numberId: number; onClose: () => void; onReplaced: () => void };
const ReplaceSecrets = ({ numberId, onClose, onReplaced }: ReplaceSecretsProps): JSX.Element => {
  const text = useText(settingsText);
  const { values, field, submitting } = useForm(
    { access_token: '', app_secret: '' },
    ({ access_token, app_secret }, call) =>
      api.rotateNumberSecrets(
        {
          params: { id: numberId },
          body: { ...(access_token === '' ? {} : { access_token }), ...(app_secret === '' ? {} : { app_secret }) },
        },
        call,
      ),
    onReplaced,
  );
  const secret = { type: 'password', autoComplete: 'new-password' };
  return (
    <FormDialog
      {...submitting}
      title={text.replaceSecrets}
      action={text.replace}
      isDisabled={values.access_token === '' && values.app_secret === ''}
      onClose={onClose}
    >
      <p className="muted">{text.replaceSecretsText}</p>
      <TextField label={text.accessToken} hint={text.accessTokenHint} {...secret} {...field('access_token')} />
      <TextField label={text.appSecret} hint={text.appSecretHint} {...secret} {...field('app_secret')} />
    </FormDialog>
  );
};
