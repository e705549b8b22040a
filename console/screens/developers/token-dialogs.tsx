import { type JSX, useState } from 'react';
import { SelectField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { toast } from '../../components/toasts.tsx';
import { useWrite } from '../../data/forms.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';

interface CallOptions {
  idempotencyKey: string;
}

/** Replaces the secret of a token, and says how long the former one still works. */
export const RotateDialog = <R,>({
  name,
  rotate,
  onRotated,
  onClose,
}: {
  name: string;
  rotate: (overlapHours: number, call: CallOptions) => Promise<R>;
  onRotated: (answer: R) => void;
  onClose: () => void;
}): JSX.Element => {
  const text = useText(developersText);
  const [hours, setHours] = useState('24');
  const write = useWrite((overlap: number, call) => rotate(overlap, call), onRotated);
  return (
    <FormDialog
      title={text.rotateTitle(name)}
      action={text.rotate}
      write={write}
      onSubmit={() => write.run(Number(hours))}
      onClose={onClose}
    >
      <p className="muted">{text.rotateText}</p>
      <SelectField
        label={text.overlap}
        value={hours}
        onText={setHours}
        choices={[
          ['24', text.overlapHours(24)],
          ['1', text.overlapHours(1)],
          ['168', text.overlapDays(7)],
          ['0', text.overlapNone],
        ]}
      />
    </FormDialog>
  );
};

/** Ends a token for good. */
export const RevokeDialog = ({
  name,
  revoke,
  onRevoked,
  onClose,
}: {
  name: string;
  revoke: (call: CallOptions) => Promise<unknown>;
  onRevoked: () => void;
  onClose: () => void;
}): JSX.Element => {
  const text = useText(developersText);
  const write = useWrite(
    (_: undefined, call) => revoke(call),
    () => {
      toast(text.revokedToast(name));
      onRevoked();
    },
  );
  return (
    <FormDialog
      title={text.revokeTitle(name)}
      action={text.revoke}
      isDanger
      write={write}
      onSubmit={() => write.run(undefined)}
      onClose={onClose}
    >
      <p>{text.revokeText}</p>
    </FormDialog>
  );
};
