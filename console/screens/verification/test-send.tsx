import { type FormEvent, type JSX, useState } from 'react';
import { Button } from '../../components/basics.tsx';
import { TextField } from '../../components/fields.tsx';
import { Icon } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Answer, api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { verificationText } from '../../text/verification.ts';
import { useText } from '../../text/text.ts';

type Requested = Answer<'requestVerification'>;
type Verified = Answer<'verifyCode'>;

/** A real code of the profile to a phone or an email of one's own, and the screen of an app that takes it. */
export const TestSend = ({ profileId }: { profileId: string }): JSX.Element => {
  const text = useText(verificationText);
  const [identifier, setIdentifier] = useState('');
  const [code, setCode] = useState('');
  const [outcome, setOutcome] = useState<Verified>();
  const [requested, setRequested] = useState<Requested>();
  const request = useWrite(
    (to: string, call) => api.requestVerification({ body: { identifier: to, profile_id: profileId, purpose: 'console_test' } }, call),
    (answer) => {
      setRequested(answer);
      setOutcome(undefined);
      setCode('');
      void refresh('listVerificationRequests');
    },
  );
  const verify = useWrite(
    (body: { request_id: string; code: string }, call) => api.verifyCode({ body }, call),
    (answer) => {
      setOutcome(answer);
      void refresh('listVerificationRequests', 'getVerificationReport');
    },
  );
  const id = requested && 'request_id' in requested ? requested.request_id : undefined;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    request.run(identifier.trim());
  };
  const check = (event: FormEvent): void => {
    event.preventDefault();
    if (id !== undefined) verify.run({ request_id: id, code: code.trim() });
  };
  return (
    <div className="beside-app">
      <form className="form" onSubmit={send}>
        <TextField label={text.to} hint={text.toHint} dir="ltr" value={identifier} onText={setIdentifier} />
        {request.error && <ProblemCard error={request.error} />}
        <div>
          <Button type="submit" isSoftDisabled={request.isPending} disabled={identifier.trim() === ''}>
            {text.sendCode}
          </Button>
        </div>
      </form>
      <div className="app-phone" role="group" aria-label={text.yourApp}>
        <strong>{text.yourApp}</strong>
        {requested === undefined && <p className="muted">{text.appWaits}</p>}
        {requested?.cached === true && <p>{text.appKnows}</p>}
        {id !== undefined && outcome?.verified !== true && (
          <form className="form" onSubmit={check}>
            <TextField
              label={text.appEnter}
              inputMode="numeric"
              autoComplete="one-time-code"
              dir="ltr"
              value={code}
              onText={setCode}
              problem={outcome?.verified === false ? text.wrongCode : undefined}
            />
            {verify.error && <ProblemCard error={verify.error} />}
            <Button type="submit" look="primary" isSoftDisabled={verify.isPending} disabled={code.trim() === ''}>
              {text.appGoOn}
            </Button>
          </form>
        )}
        {outcome?.verified === true && (
          <p className="app-done" role="status">
            <Icon name="check" size={20} /> {text.appVerified}
          </p>
        )}
      </div>
    </div>
  );
};
