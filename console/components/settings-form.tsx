import type { JSX, ReactNode } from 'react';
import { Button } from './basics.tsx';
import { Form, SubmitButton, type Submitting } from './form.tsx';
import { Icon } from './icons.tsx';
import { LeaveQuestion } from './leaving.tsx';
import { useMay } from '../data/session.ts';
import { settingsText } from '../text/settings.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import './settings-form.css';

type SettingsFormProps = { submitting: Submitting; isDisabled?: boolean; mayWrite?: boolean; children: ReactNode };

/** Settings that those who may change, and others read. What is changed is sent by one button, which stays in view, and leaving has to be confirmed. */
export const SettingsForm = ({ submitting, isDisabled = false, mayWrite, children }: SettingsFormProps): JSX.Element => {
  const text = useText(settingsText);
  const shell = useText(shellText);
  const isAdmin = useMay('admin');
  const isOpen = mayWrite ?? isAdmin;
  const { write, isChanged, onDiscard } = submitting;
  return (
    <Form submitting={submitting}>
      {!isOpen && (
        <div className="notice info">
          <Icon name="alert" />
          <p>{text.readOnly(shell.admin)}</p>
        </div>
      )}
      <fieldset className="field" disabled={!isOpen}>
        {children}
      </fieldset>
      {isOpen && (
        <div className={`save-line ${isChanged ? 'changed' : ''}`}>
          <span className="grow muted" role="status">
            {isChanged && shell.notSaved}
          </span>
          {isChanged && (
            <Button look="quiet" isSoftDisabled={write.isPending} onClick={onDiscard}>
              {shell.discard}
            </Button>
          )}
          {/* keys go on from the button that has just saved */}
          <SubmitButton write={write} isDisabled={isDisabled} isSoftDisabled={!isChanged} />
        </div>
      )}
      <LeaveQuestion isChanged={isChanged} />
    </Form>
  );
};
