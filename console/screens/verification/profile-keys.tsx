import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { VerificationKey } from '../../../client/client.ts';
import { Badge, Button, Copyable } from '../../components/basics.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { ConfirmDialog, FormDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { Shown } from '../../components/shown.tsx';
import { Time } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { verificationText } from '../../text/verification.ts';
import { useText } from '../../text/text.ts';
import { CodeBox } from '../../components/code-box.tsx';
import { type SnippetLanguage, snippetLanguages, snippetOf } from './snippets.ts';

type Issued = VerificationKey & { secret_key: string };

/** The key pairs of a profile: made, shown once, replaced and ended; and what to write in a program with one of them. */
export const ProfileKeys = ({ profileId }: { profileId: string }): JSX.Element => {
  const text = useText(verificationText);
  const query = useQuery(read('listVerificationKeys', { params: { profile_id: profileId } }));
  const { dialog, open, close } = useDialog();
  const show = ({ data }: { data: Issued }): void => {
    void refresh('listVerificationKeys');
    open(
      <SecretDialog
        title={text.keyMade}
        secrets={[
          { name: text.publicKey, value: data.public_key },
          { name: text.secretKey, value: data.secret_key },
        ]}
        onClose={close}
      />,
    );
  };
  const rotate = ({ id, name, public_key: key }: VerificationKey): void =>
    open(
      <ConfirmDialog
        title={`${text.replaceKey}: ${name || key}`}
        action={text.replaceKey}
        isDanger={false}
        send={(call) => api.rotateVerificationKey({ params: { id }, body: {} }, call)}
        onDone={show}
        onClose={close}
      >
        <p>{text.replaceKeyText}</p>
      </ConfirmDialog>,
    );
  const end = ({ id, name, public_key: key }: VerificationKey): void =>
    open(
      <ConfirmDialog
        title={`${text.endKey}: ${name || key}`}
        action={text.endKey}
        send={(call) => api.deactivateVerificationKey({ params: { id } }, call)}
        onDone={() => {
          close();
          void refresh('listVerificationKeys');
        }}
        onClose={close}
      >
        <p>{text.endKeyText}</p>
      </ConfirmDialog>,
    );
  return (
    <>
      <Shown query={query} rows={2}>
        {({ data }) => (
          <>
            {data.length === 0 && <p className="muted">{text.noKeys}</p>}
            <ul className="keys stack">
              {data.map((key) => (
                <KeyCard key={key.id} of={key} onRotate={() => rotate(key)} onEnd={() => end(key)} />
              ))}
            </ul>
            <div>
              <Button icon="plus" onClick={() => open(<NewKey profileId={profileId} onCreated={show} onClose={close} />)}>
                {text.newKey}
              </Button>
            </div>
            {data.find(({ status }) => status === 'active') && (
              <Snippets publicKey={data.find(({ status }) => status === 'active')?.public_key ?? ''} />
            )}
          </>
        )}
      </Shown>
      {dialog}
    </>
  );
};

type KeyCardProps = { of: VerificationKey; onRotate: () => void; onEnd: () => void };
/** A key pair: its public key, and what is known of its secret one. */
const KeyCard = ({ of: key, onRotate, onEnd }: KeyCardProps): JSX.Element => {
  const text = useText(verificationText);
  return (
    <li className="card">
      <div className="row">
        <strong className="grow cut" dir="auto">
          {key.name || text.key}
        </strong>
        {key.mode === 'test' && <Badge look="info">{text.testMode}</Badge>}
        {key.status === 'inactive' && <Badge>{text.ended}</Badge>}
        {key.status === 'active' && (
          <Menu
            label={`${text.actions}: ${key.name || key.public_key}`}
            className="button quiet icon small"
            trigger={<Icon name="more" />}
            entries={[
              { id: 'rotate', label: text.replaceKey, icon: 'refresh' },
              { id: 'end', label: text.endKey, icon: 'trash' },
            ]}
            onSelect={(chosen) => (chosen === 'rotate' ? onRotate() : onEnd())}
          />
        )}
      </div>
      <Copyable value={key.public_key} />
      <span className="muted">
        {text.secretEnds(key.secret_last4)} · {key.last_used_at === null ? text.neverUsed : text.lastUsed}
        {key.last_used_at !== null && (
          <>
            {' '}
            <Time at={key.last_used_at} />
          </>
        )}
      </span>
    </li>
  );
};

type NewKeyProps = { profileId: string; onCreated: (answer: { data: Issued }) => void; onClose: () => void };
const NewKey = ({ profileId, onCreated, onClose }: NewKeyProps): JSX.Element => {
  const text = useText(verificationText);
  const { field, submitting } = useForm(
    { name: '', mode: 'live' as 'live' | 'test' },
    ({ name, mode }, call) =>
      api.createVerificationKey(
        { params: { profile_id: profileId }, body: { mode, ...(name.trim() === '' ? {} : { name: name.trim() }) } },
        call,
      ),
    onCreated,
  );
  return (
    <FormDialog {...submitting} title={text.newKey} onClose={onClose}>
      <TextField label={text.name} dir="auto" {...field('name')} />
      <SelectField
        label={text.mode}
        hint={text.modeHint}
        choices={[
          ['live', text.liveMode],
          ['test', text.testMode],
        ]}
        {...field('mode')}
      />
    </FormDialog>
  );
};

const Snippets = ({ publicKey }: { publicKey: string }): JSX.Element => {
  const text = useText(verificationText);
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  return (
    <div className="stack">
      <SelectField
        label={text.inYourProgram}
        hint={text.inYourProgramHint}
        value={language}
        onText={setLanguage}
        choices={snippetLanguages.map((each) => [each, each] as const)}
      />
      <CodeBox label={text.inYourProgram} value={snippetOf(language, location.origin, publicKey)} />
    </div>
  );
};
