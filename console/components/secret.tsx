import { type JSX, useState } from 'react';
import { secretText } from '../text/secret.ts';
import { useText } from '../text/text.ts';
import { Button, CopyButton } from './basics.tsx';
import { Dialog } from './dialog.tsx';
import { Icon } from './icons.tsx';

/** A secret that the API shows once, by its name. */
export interface Secret {
  name: string;
  value: string;
}

/**
 * Shows secrets once: they are in the document while this is open, and nowhere afterwards. Keep them in the state of the screen that shows
 * this, never in the query cache, an address or storage.
 */
export const SecretDialog = ({
  title,
  secrets,
  onClose,
}: {
  title: string;
  secrets: readonly Secret[];
  onClose: () => void;
}): JSX.Element => {
  const text = useText(secretText);
  const [copied, setCopied] = useState<readonly string[]>([]);
  const isStored = secrets.every(({ name }) => copied.includes(name));
  const copy = (name: string) => (): void => setCopied((before) => [...before, name]);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      mustAnswer
      footer={
        <>
          {!isStored && <span className="muted grow">{text.copyFirst}</span>}
          <Button look="primary" disabled={!isStored} onClick={onClose}>
            {text.stored}
          </Button>
        </>
      }
    >
      <div className="notice warn">
        <Icon name="alert" />
        <p className="grow">{text.once}</p>
      </div>
      {secrets.map(({ name, value }) => (
        <div key={name} className="field">
          <span className="label">{name}</span>
          <div className="secret-box">
            <code onCopy={copy(name)}>{value}</code>
            <CopyButton value={value} label={text.copy(name)} onTried={copy(name)} />
          </div>
        </div>
      ))}
    </Dialog>
  );
};
