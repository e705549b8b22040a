import { type FormEvent, type JSX, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useWrite } from '../data/forms.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button } from './basics.tsx';
import { Dialog, useDialog } from './dialog.tsx';
import { Refusal, type Submitting } from './form.tsx';
import { Spinner } from './icons.tsx';
import { LeaveQuestion } from './leaving.tsx';

interface FormDialogProps extends Pick<Submitting, 'write' | 'onSubmit'> {
  title: string;
  /** What the button says; `Save` unless given. */
  action?: string | undefined;
  fields?: readonly string[];
  /** Something was typed: closing has to be confirmed. */
  isChanged?: boolean;
  isDanger?: boolean;
  isDisabled?: boolean;
  wide?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A form over the page: Enter saves, Escape leaves. A refusal of one of its `fields` stands beside that field, which gets the focus. */
export const FormDialog = ({
  title,
  action,
  write,
  fields = [],
  isChanged = false,
  isDanger = false,
  isDisabled = false,
  wide = false,
  onSubmit,
  onClose,
  children,
}: FormDialogProps): JSX.Element => {
  const text = useText(shellText);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [isConfirming, setConfirming] = useState(false);
  const focusField = (selector: string): void => form.current?.querySelector<HTMLElement>(selector)?.focus();
  // the button that was pressed was disabled meanwhile and lost the focus, and keys would no longer reach the dialog
  useEffect(() => {
    if (!write.error) return;
    const refused = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    (refused ?? form.current?.querySelector<HTMLElement>('input, textarea, select'))?.focus();
  }, [write.error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isDisabled) onSubmit();
  };
  const close = (): void => {
    if (!isChanged || write.isPending) return onClose();
    if (isConfirming) focusField('input, textarea, select');
    setConfirming(!isConfirming);
  };
  return (
    <Dialog
      title={title}
      onClose={close}
      wide={wide}
      footer={
        isConfirming && isChanged ? (
          <>
            <span className="grow" role="alert">
              {text.discardQuestion}
            </span>
            <Button look="danger" onClick={onClose}>
              {text.discard}
            </Button>
            {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed is no longer there */}
            <Button autoFocus onClick={close}>
              {text.goOnEditing}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={close}>{text.cancel}</Button>
            <Button
              type="submit"
              form={id}
              look="primary"
              className={isDanger ? 'danger' : ''}
              disabled={isDisabled}
              isSoftDisabled={write.isPending}
            >
              {write.isPending && <Spinner />}
              {action ?? text.save}
            </Button>
          </>
        )
      }
    >
      <form ref={form} id={id} className="form" noValidate onSubmit={submit}>
        <Refusal write={write} fields={fields} />
        {children}
      </form>
      <LeaveQuestion isChanged={isChanged && !write.isPending} />
    </Dialog>
  );
};

/** A dialog that confirms what cannot be taken back. */
export const ConfirmDialog = <R,>({
  send,
  onDone,
  ...rest
}: Pick<FormDialogProps, 'title' | 'action' | 'isDanger' | 'onClose' | 'children'> & {
  send: (call: { idempotencyKey: string }) => Promise<R>;
  onDone: (answer: R) => void;
}): JSX.Element => {
  const write = useWrite((_: undefined, call) => send(call), onDone);
  return <FormDialog isDanger {...rest} write={write} onSubmit={() => write.run(undefined)} />;
};

interface Removal<R> {
  title: string;
  /** What the button says. */
  action: string;
  /** What goes with it, and what stays. */
  words: ReactNode;
  send: (call: { idempotencyKey: string }) => Promise<R>;
  onRemoved: () => void;
}

/** The removal of what a screen or a dialog shows: `remove` opens the question, which stands as `question` beside what is shown, outside of a dialog's own. */
export const useRemoval = <R,>({ words, onRemoved, ...rest }: Removal<R>): { question: ReactNode; remove: () => void } => {
  const { dialog, open, close } = useDialog();
  const remove = (): void =>
    open(
      <ConfirmDialog
        {...rest}
        onDone={() => {
          close();
          onRemoved();
        }}
        onClose={close}
      >
        <p>{words}</p>
      </ConfirmDialog>,
    );
  return { question: dialog, remove };
};
