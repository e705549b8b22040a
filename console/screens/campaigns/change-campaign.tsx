import type { JSX } from 'react';
import type { CampaignDetails } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { api, SwitchboardProblem } from '../../data/client.ts';
import { toFieldTime } from '../../data/field-time.ts';
import { useWrite } from '../../data/forms.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';
import { isWaiting } from './campaign-words.ts';

interface ChangeFormProps {
  campaign: CampaignDetails;
  onClose: () => void;
  onDone: () => void;
}

/** The name at any time, the start until the recipients are chosen. */
export const ChangeForm = ({ campaign, onClose, onDone }: ChangeFormProps): JSX.Element => {
  const text = useText(campaignsText);
  const { id, name, send_time: starts } = campaign;
  const { values, field, submitting } = useForm(
    { name, send_time: starts === null ? '' : toFieldTime(Date.parse(starts)) },
    ({ send_time }, call, changed) =>
      api.updateCampaign(
        {
          params: { id },
          body: {
            ...(changed.name === undefined ? {} : { name: changed.name.trim() }),
            ...(changed.send_time === undefined ? {} : { send_time: new Date(send_time).toISOString() }),
          },
        },
        call,
      ),
    onDone,
  );
  const hasTime = isWaiting(campaign);
  return (
    <FormDialog
      {...submitting}
      title={text.changeCampaign}
      isDisabled={!submitting.isChanged || values.name.trim() === '' || (hasTime && Number.isNaN(Date.parse(values.send_time)))}
      onClose={onClose}
    >
      <TextField label={text.name} hint={text.nameHint} dir="auto" {...field('name')} />
      {hasTime && <TextField label={text.starts} hint={text.startsHint} type="datetime-local" {...field('send_time')} />}
    </FormDialog>
  );
};

/** Why it was not paused or resumed; what was to start more than a day ago goes on once that is confirmed. */
export const ToggleRefusal = ({ id, error, onDone }: { id: number; error: Error; onDone: () => void }): JSX.Element => {
  const text = useText(campaignsText);
  const resume = useWrite(
    (_: undefined, call) => api.updateCampaign({ params: { id }, body: { is_active: true, confirm_stale: true } }, call),
    onDone,
  );
  if (!(error instanceof SwitchboardProblem) || error.code !== 'campaign_stale') return <ProblemCard error={error} />;
  if (resume.error) return <ProblemCard error={resume.error} />;
  return (
    <div className="notice warn" role="alert">
      <Icon name="alert" />
      <span className="grow">{text.stale}</span>
      <Button isSoftDisabled={resume.isPending} onClick={() => resume.run(undefined)}>
        {text.resumeStale}
      </Button>
    </div>
  );
};
