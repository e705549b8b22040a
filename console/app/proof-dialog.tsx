import { type FormEvent, type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { StartedSession } from '../../client/client.ts';
import { Button } from '../components/basics.tsx';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { ProblemCard } from '../components/problem.tsx';
import { api } from '../data/client.ts';
import { demoUsers, signInDemoUser } from '../data/demo-users.ts';
import { useWrite } from '../data/forms.ts';
import { hasPasskeys, isStopped, signInWithPasskey } from '../data/passkeys.ts';
import { answerProof } from '../data/proof.ts';
import { isLaptop, useMe } from '../data/session.ts';
import { enterPage } from '../data/signed-in.ts';
import { signInText } from '../text/sign-in.ts';
import { useText } from '../text/text.ts';

/** The user of the page signs in once more, in place: by a passkey, or by a code to the own address. */
const ProofDialog = (): JSX.Element => {
  const text = useText(signInText);
  const me = useMe();
  const [requestId, setRequestId] = useState<string>();
  const [code, setCode] = useState('');
  const prove = ({ user, company }: Pick<StartedSession, 'user' | 'company'>): void => {
    // a passkey of another user, or of another company: the page is no longer theirs
    if (user.id !== me.id || company.id !== me.company_id) void enterPage('/console/');
    else answerProof(true);
  };
  const request = useWrite(
    (email: string) => api.createSignInCode({ body: { email } }),
    ({ data }) => setRequestId(data.request_id),
  );
  const confirm = useWrite(
    (body: { request_id: string; code: string; company_id: number; accept: boolean }) => api.createSession({ body }),
    ({ data }) => 'user' in data && prove(data),
  );
  const byPasskey = useWrite<undefined, StartedSession>(signInWithPasskey, prove);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (requestId === undefined) request.run(me.email);
    else confirm.run({ request_id: requestId, code: code.trim(), company_id: me.company_id, accept: true });
  };
  const error = confirm.error ?? request.error ?? (isStopped(byPasskey.error) ? undefined : byPasskey.error);
  const isPending = request.isPending || confirm.isPending || byPasskey.isPending;
  return (
    <Dialog title={text.proofTitle} onClose={() => answerProof(false)}>
      <form className="form" onSubmit={submit}>
        <p>{text.proofText}</p>
        {requestId !== undefined && (
          <TextField
            label={text.code}
            hint={text.codeSentTo(me.email)}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={code}
            onText={setCode}
          />
        )}
        {error ? <ProblemCard error={error} /> : null}
        <div className="row">
          <Button type="submit" look="primary" isSoftDisabled={isPending}>
            {requestId === undefined ? text.sendCode : text.confirm}
          </Button>
          {hasPasskeys && (
            <Button isSoftDisabled={isPending} onClick={() => byPasskey.run(undefined)}>
              {text.byPasskey}
            </Button>
          )}
          {isLaptop && <DemoProof />}
        </div>
      </form>
    </Dialog>
  );
};
export default ProofDialog;

/** On the laptop one click proves a demo user, as one click signs in. */
const DemoProof = (): JSX.Element | null => {
  const text = useText(signInText);
  const me = useMe();
  const { data } = useQuery({ queryKey: ['demo-users'], queryFn: demoUsers });
  const user = data?.find(({ company_id, user_id }) => company_id === me.company_id && user_id === me.id);
  const signIn = useWrite(signInDemoUser, () => answerProof(true));
  if (!user) return null;
  return (
    <Button isSoftDisabled={signIn.isPending} onClick={() => signIn.run(user)}>
      {text.proofDemo}
    </Button>
  );
};
