import type { JSX } from 'react';
import type { VerificationProfile } from '../../../client/client.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useText } from '../../text/text.ts';
import { verificationText } from '../../text/verification.ts';

interface EndTrustProps {
  /** At least one. */
  profiles: readonly VerificationProfile[];
  /** The one that the page shows. */
  profile: string | undefined;
  onClose: () => void;
}

/** Ends the trust in the devices of one phone or email, such as one that was lost. Without an identifier the API would end that of all. */
export const EndTrust = ({ profiles, profile, onClose }: EndTrustProps): JSX.Element => {
  const text = useText(verificationText);
  const first = profile ?? profiles.find(({ is_default: isDefault }) => isDefault)?.id ?? profiles[0]?.id ?? '';
  const { values, field, submitting } = useForm(
    { profile_id: first, identifier: '' },
    ({ profile_id: of, identifier }, call) =>
      api.revokeTrust({ params: { profile_id: of }, body: { identifier: identifier.trim() } }, call),
    () => {
      toast(text.trustEnded);
      onClose();
    },
  );
  return (
    <FormDialog
      {...submitting}
      title={text.endTrustQuestion}
      action={text.endTrust}
      isDanger
      isDisabled={values.identifier.trim() === '' || values.profile_id === ''}
      onClose={onClose}
    >
      <p>{text.endTrustText}</p>
      {profiles.length > 1 && (
        <SelectField label={text.profile} choices={profiles.map(({ id, name }) => [id, name] as const)} {...field('profile_id')} />
      )}
      <TextField label={text.endTrustOf} hint={text.toHint} dir="ltr" {...field('identifier')} />
    </FormDialog>
  );
};
