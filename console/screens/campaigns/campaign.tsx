import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { CampaignDetails } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { amountText } from '../../components/amount.ts';
import { Button, State } from '../../components/basics.tsx';
import { Funnel } from '../../components/charts/funnel.tsx';
import type { ChartLink } from '../../components/charts/picture-link.tsx';
import { StackedProgress } from '../../components/charts/progress.tsx';
import type { RowAction } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog, useRemoval } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { amountsText, type Money, moneyText } from '../../components/money.ts';
import { Facts, Page } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { formatCount, productNow, Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useLocale, useText } from '../../text/text.ts';
import { Failures } from './campaign-failures.tsx';
import { useAudienceNames } from './audience.ts';
import type { Status } from './campaign-csv.ts';
import { CampaignMessage } from './campaign-message.tsx';
import { ceilingNameOf, isAnswerable, pauseOf, stateOf } from './campaign-words.ts';
import { ChangeForm, ToggleRefusal } from './change-campaign.tsx';
import { Recipients } from './recipients.tsx';
import { Replies } from './replies.tsx';
import { CampaignTimeline } from './timeline.tsx';
import './campaigns.css';

/** One campaign: where it stands, whom it reached, what failed and what can be done about it. */
const Campaign = (): JSX.Element => {
  const text = useText(campaignsText);
  const { id } = useParams({ from: '/shell/campaigns/$id' });
  const input = { params: { id } };
  const query = useQuery({
    ...read('getCampaign', input),
    // no event says that a recipient answered
    refetchInterval: ({ state }) => (state.data && isAnswerable(state.data.data, productNow()) ? answersMs : false),
  });
  const campaign = query.data?.data;
  useInspectable({ title: text.campaign, subject: `campaign:${id}`, object: campaign, call: { operation: 'getCampaign', input } });
  const state = <Shown query={query}>{() => null}</Shown>;
  if (!campaign) return <Page title={text.campaign}>{state}</Page>;
  return (
    <>
      {state}
      <Whole key={id} campaign={campaign} />
    </>
  );
};
export default Campaign;

const answersMs = 10_000;

const reread = (): void => void refresh('getCampaign', 'listCampaigns', 'listCampaignMessages', 'listEvents');

const Whole = ({ campaign }: { campaign: CampaignDetails }): JSX.Element => {
  const text = useText(campaignsText);
  const mayWrite = useMay('member');
  const { dialog, question, actions, toggle } = useActions(campaign);
  const resumed = (): void => {
    toggle.reset();
    reread();
  };
  const { name, look } = stateOf(text, campaign.status);
  const canStop = ['queued', 'constructing', 'scheduled', 'sending', 'paused'].includes(campaign.status);
  return (
    <Page
      title={campaign.name}
      actions={
        <>
          <State name={name} look={look} />
          {mayWrite && canStop && (
            <Button
              icon={campaign.is_active ? 'clock' : 'send'}
              isSoftDisabled={toggle.isPending}
              onClick={() => toggle.run(!campaign.is_active)}
            >
              {campaign.is_active ? text.pause : text.resume}
            </Button>
          )}
          {mayWrite && (
            <Menu
              label={text.actions}
              className="button icon"
              trigger={<Icon name="more" />}
              entries={actions}
              onSelect={(id) => actions.find((each) => each.id === id)?.run()}
            />
          )}
        </>
      }
    >
      {toggle.error && <ToggleRefusal id={campaign.id} error={toggle.error} onDone={resumed} />}
      <About campaign={campaign} />
      <Progress campaign={campaign} />
      <CampaignMessage campaign={campaign} />
      <Failures campaign={campaign} onDone={reread} />
      <Replies id={campaign.id} count={campaign.funnel.replied} />
      <Recipients id={campaign.id} />
      <CampaignTimeline campaign={campaign} />
      {dialog}
      {question}
    </Page>
  );
};

/** Pausing, changing, copying and deleting, with their dialogs. */
const useActions = (campaign: CampaignDetails) => {
  const { id, name } = campaign;
  const text = useText(campaignsText);
  const navigate = useNavigate();
  const { dialog, open, close } = useDialog();
  const params = { id };
  const toggle = useWrite((is_active: boolean, call) => api.updateCampaign({ params, body: { is_active } }, call), reread);
  const clone = (): void =>
    open(
      <CloneForm
        campaign={{ id, name }}
        onClose={close}
        onDone={(made) => {
          close();
          toast(text.cloned);
          reread();
          void navigate({ to: '/campaigns/$id', params: { id: made } });
        }}
      />,
    );
  const change = (): void =>
    open(
      <ChangeForm
        campaign={campaign}
        onClose={close}
        onDone={() => {
          close();
          toast(text.changed);
          reread();
        }}
      />,
    );
  const { question, remove } = useRemoval({
    title: `${text.remove}: ${name}`,
    action: text.remove,
    words: text.removeText,
    send: (call) => api.deleteCampaign({ params }, call),
    onRemoved: () => {
      reread();
      void navigate({ to: '/campaigns' });
    },
  });
  const actions: RowAction[] = [
    ...(campaign.status === 'deleted' ? [] : [{ id: 'edit', label: text.changeCampaign, icon: 'edit' as const, run: change }]),
    { id: 'clone', label: text.clone, icon: 'copy', run: clone },
    { id: 'change', label: text.copyAndChange, icon: 'copy', run: () => void navigate({ to: '/campaigns/new', search: { from: id } }) },
    { id: 'delete', label: text.remove, icon: 'trash', danger: true, run: remove },
  ];
  return { dialog, question, actions, toggle };
};

type CloneFormProps = { campaign: { id: number; name: string }; onClose: () => void; onDone: (id: number) => void };
/** A copy has a time of its own: nothing is sent at once by a press. */
const CloneForm = ({ campaign: { id, name }, onClose, onDone }: CloneFormProps): JSX.Element => {
  const text = useText(campaignsText);
  const { values, field, submitting } = useForm(
    { name: text.copyOf(name), send_time: '' },
    async (given, call) => {
      const body = { name: given.name.trim(), send_time: new Date(given.send_time).toISOString() };
      return (await api.cloneCampaign({ params: { id }, body }, call)).data;
    },
    (made) => onDone(made.id),
  );
  return (
    <FormDialog
      {...submitting}
      title={text.clone}
      action={text.clone}
      isDisabled={values.name.trim() === '' || Number.isNaN(Date.parse(values.send_time))}
      onClose={onClose}
    >
      <TextField label={text.name} {...field('name')} />
      <TextField label={text.starts} hint={text.startsHint} type="datetime-local" {...field('send_time')} />
    </FormDialog>
  );
};

type PauseDetails = NonNullable<CampaignDetails['pause_details']>;

/** A limit is shown to the cent. */
const exactly = (tag: string, { amount, currency }: Money): string => amountText(tag, Number(amount), currency);

/** Which ceiling holds it up, and what lets it go on. */
const Ceiling = ({ details: { limit, currency, resets_at } }: { details: PauseDetails }): JSX.Element => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  return (
    <>
      {exactly(tag, { amount: limit, currency })}. {text.pausedGoesOn}
      {resets_at !== null && (
        <>
          {' / '}
          <Time at={resets_at} exact />
        </>
      )}
    </>
  );
};

/** At most what one message costs, and by what it is multiplied. */
const MaxPrice = ({ campaign: { template, max_price_multiplier: times } }: { campaign: CampaignDetails }): JSX.Element => {
  const { tag } = useLocale();
  return (
    <span className="numbers">
      {template.max_price && moneyText(tag, template.max_price, { isPrice: true })}
      {times !== null && ` × ${new Intl.NumberFormat(tag).format(times)}`}
    </span>
  );
};

const About = ({ campaign }: { campaign: CampaignDetails }): JSX.Element => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  const audience = useAudienceNames([campaign])(campaign);
  const left = Object.entries(campaign.excluded).filter(([, count]) => count > 0);
  const at = (name: string, time: string | null): readonly [string, JSX.Element] | undefined =>
    time === null ? undefined : [name, <Time key={name} at={time} exact />];
  return (
    <Facts
      facts={[
        campaign.pause_reason === null ? undefined : [text.whyPaused, pauseOf(text, campaign.pause_reason)],
        campaign.pause_details === null
          ? undefined
          : [ceilingNameOf(text, campaign.pause_details.ceiling), <Ceiling key="ceiling" details={campaign.pause_details} />],
        campaign.spend_limit === null || campaign.spend_left === null
          ? undefined
          : [text.spendCeiling, `${exactly(tag, campaign.spend_left)} / ${exactly(tag, campaign.spend_limit)}`],
        campaign.template.max_price === null ? undefined : [text.maxPrice, <MaxPrice key="price" campaign={campaign} />],
        campaign.failure_reason === null ? undefined : [text.whyFailed, campaign.failure_reason],
        [text.template, `${campaign.template.name} (${campaign.template.language})`],
        [text.audience, campaign.audience_count === 0 ? audience : `${audience}: ${formatCount(tag, campaign.audience_count)}`],
        left.length === 0 ? undefined : [text.leftOut, left.map(([reason, count]) => `${reason} ${formatCount(tag, count)}`).join(', ')],
        at(text.starts, campaign.send_time),
        at(text.started, campaign.started_at),
        at(text.eta, campaign.eta),
        at(text.done, campaign.completed_at),
        campaign.cost.estimate?.estimate == null ? undefined : [text.estimate, moneyText(tag, campaign.cost.estimate.estimate)],
        campaign.cost.actual.amounts.length === 0 ? undefined : [text.actual, amountsText(tag, campaign.cost.actual.amounts)],
        campaign.cost.actual.unknown === 0 ? undefined : [text.withoutPrice, formatCount(tag, campaign.cost.actual.unknown)],
        campaign.held_count === 0 ? undefined : [text.held, formatCount(tag, campaign.held_count)],
      ]}
    />
  );
};

const Progress = ({ campaign: { id, statistics, funnel } }: { campaign: CampaignDetails }): JSX.Element | null => {
  const text = useText(campaignsText);
  const inState = (status: Status): ChartLink => ({ to: '/campaigns/$id', params: { id }, search: { status } });
  if (statistics.total === 0) return <p className="muted">{text.notChosen}</p>;
  return (
    <div className="campaign-charts">
      <StackedProgress
        title={text.progress}
        axis={text.state}
        parts={[
          { name: text.read, colour: 1, value: statistics.read, link: inState('read') },
          { name: text.delivered, colour: 2, value: statistics.delivered, link: inState('delivered') },
          { name: text.sent, colour: 3, value: statistics.sent, link: inState('sent') },
          { name: text.waiting, colour: 4, value: statistics.scheduled + statistics.processing, link: inState('scheduled') },
          { name: text.skipped, colour: 5, value: statistics.skipped, link: inState('skipped') },
          { name: text.unknown, colour: 'warn', value: statistics.ambiguous },
          { name: text.failedMessages, colour: 'bad', value: statistics.failed, link: inState('failed') },
        ]}
      />
      <Funnel
        title={text.reached}
        axis={text.step}
        steps={[
          { name: text.sent, value: funnel.accepted },
          { name: text.delivered, value: funnel.delivered },
          { name: text.read, value: funnel.read },
          { name: text.replied, value: funnel.replied },
        ]}
      />
    </div>
  );
};
