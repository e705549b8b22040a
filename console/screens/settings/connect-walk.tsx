import { type JSX, useEffect, useRef, useState } from 'react';
import { Link } from '@tanstack/react-router';
import { Badge, Button } from '../../components/basics.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { problemOf, TextField } from '../../components/fields.tsx';
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

/**
 * Checks a stored number at the provider and connects it. A new one is checked at once; what is wrong is shown with its remedy, and the
 * secrets can be replaced right here.
 */
export const ConnectWalk = ({ numberId, isNew }: { numberId: number; isNew: boolean }): JSX.Element => {
  const text = useText(settingsText);
  const number = useNumber();
  const params = { id: numberId };
  const [pin, setPin] = useState('');
  const [isReplacing, setReplacing] = useState(false);
  const [connection, setConnection] = useState<Connection>();
  const check = useWrite(
    (_: undefined, call) => api.checkNumber({ params }, call),
    () => {
      setConnection(undefined);
      void refresh('getNumber', 'listNumbers');
    },
  );
  const connect = useWrite(
    (_: undefined, call) => api.connectNumber({ params, body: pin === '' ? {} : { pin } }, call),
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
  const isConnected = connection?.is_connected ?? checked?.is_ready ?? false;
  // what connecting mends is no reason to stop before it
  const isRefused = !connection && findings.length === 1 && findings[0]?.level === 'wrong';
  const isKnown = connection !== undefined || checked !== undefined;
  const outcome: Outcome = !isKnown ? 'open' : isConnected ? 'good' : 'wrong';
  const at = isConnected ? 3 : isRefused || !isKnown ? 1 : 2;
  const isBusy = check.isPending || connect.isPending;
  return (
    <div className="walk">
      {isNew && <Steps at={at} outcome={at === 2 && !connection ? 'open' : outcome} />}
      {(check.error ?? connect.error) && <ProblemCard error={check.error ?? connect.error} />}
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
            {text.formerTokens} <Link to={'/developers/addresses' as never}>{connection.former_webhook_token_ids.join(', ')}</Link>
          </p>
        )}
        {!isBusy && findings.length > 0 && <Findings findings={findings} />}
      </div>
      {isKnown && !isConnected && !isRefused && (
        <TextField
          label={text.pin}
          hint={text.pinHint}
          inputMode="numeric"
          maxLength={6}
          value={pin}
          onText={setPin}
          problem={problemOf(connect.error, 'pin')}
        />
      )}
      <div className="actions">
        {isKnown && !isConnected && !isRefused && (
          <Button look="primary" disabled={isBusy} onClick={() => connect.run(undefined)}>
            {text.connect}
          </Button>
        )}
        <Button icon="refresh" disabled={isBusy} onClick={() => runCheck(undefined)}>
          {text.check}
        </Button>
        <Button icon="key" disabled={isBusy} onClick={() => setReplacing(true)}>
          {text.replaceSecrets}
        </Button>
        {!isNew && (isConnected || !isKnown) && (
          <Button disabled={isBusy} onClick={() => connect.run(undefined)}>
            {text.connect}
          </Button>
        )}
        {isNew && isConnected && (
          <Link className="button" to={`/settings/numbers/${numberId}` as never}>
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
            runCheck(undefined);
          }}
        />
      )}
    </div>
  );
};

const Verdict = ({
  isConnected,
  isRefused,
  findings,
}: {
  isConnected: boolean;
  isRefused: boolean;
  findings: readonly Finding[];
}): JSX.Element => {
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
const Findings = ({ findings }: { findings: readonly Finding[] }): JSX.Element => {
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

const ReplaceSecrets = ({
  numberId,
  onClose,
  onReplaced,
}: {
  numberId: number;
  onClose: () => void;
  onReplaced: () => void;
}): JSX.Element => {
  const text = useText(settingsText);
  const [token, setToken] = useState('');
  const [secret, setSecret] = useState('');
  const replace = useWrite(
    (_: undefined, call) =>
      api.rotateNumberSecrets(
        {
          params: { id: numberId },
          body: { ...(token === '' ? {} : { access_token: token }), ...(secret === '' ? {} : { app_secret: secret }) },
        },
        call,
      ),
    onReplaced,
  );
  return (
    <FormDialog
      title={text.replaceSecrets}
      action={text.replace}
      write={replace}
      fields={['access_token', 'app_secret']}
      isDisabled={token === '' && secret === ''}
      onSubmit={() => replace.run(undefined)}
      onClose={onClose}
    >
      <p className="muted">{text.replaceSecretsText}</p>
      <TextField
        label={text.accessToken}
        hint={text.accessTokenHint}
        type="password"
        autoComplete="new-password"
        value={token}
        onText={setToken}
        problem={problemOf(replace.error, 'access_token')}
      />
      <TextField
        label={text.appSecret}
        hint={text.appSecretHint}
        type="password"
        autoComplete="new-password"
        value={secret}
        onText={setSecret}
        problem={problemOf(replace.error, 'app_secret')}
      />
    </FormDialog>
  );
};
