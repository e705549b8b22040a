import { type JSX, useMemo, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { CampaignDetails, Template } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty } from '../../components/basics.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import { LeaveQuestion } from '../../components/leaving.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { partsOf, placeholdersOf } from '../../components/template-parts.ts';
import { formatCount, formatTime, useNow } from '../../components/time.tsx';
import { usePicture } from '../../components/use-picture.ts';
import { api, type Input } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useRested } from '../../data/rested.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { shellText } from '../../text/shell.ts';
import { useLocale, useText } from '../../text/text.ts';
import { type Fillings, fillingsOf, isBeyondForm, isFilled, parametersOf } from './campaign-values.ts';
import { audienceIn, CampaignAudience, type ChosenAudience } from './choose-audience.tsx';
import { exclusionNames } from './campaign-words.ts';
import { FillPlaceholders } from './fill-placeholders.tsx';
import { LeftOut, type Reason } from './left-out.tsx';
import { useMultiplier } from './max-price-multiplier.tsx';
import { CostLine, Expected, sumOfCosts, sumOfExpected } from './campaign-cost.tsx';
import { RecipientPhone } from './recipient-phone.tsx';
import { useSender } from './sender.tsx';
import { TestSend } from './test-send.tsx';
import './campaigns.css';

type Preview = Awaited<ReturnType<typeof api.previewAudience>>['data'];

/** A campaign from its template to its last question, with what one recipient gets beside it. */
const NewCampaign = (): JSX.Element => {
  const text = useText(campaignsText);
  const shell = useText(shellText);
  const query = useQuery(read('listTemplates', { query: { status: 'APPROVED', limit: 100 } }));
  useInspectable({ title: text.newCampaign, call: { operation: 'listTemplates', input: { query: { status: 'APPROVED', limit: 100 } } } });
  const [from] = useFilter('from');
  const copied = useQuery({ ...read('getCampaign', { params: { id: Number(from) } }), enabled: from !== undefined });
  // codes are sent by verification alone
  const templates = query.data?.data.filter(({ category }) => category !== 'AUTHENTICATION') ?? [];
  const isRead = from === undefined || copied.data !== undefined;
  if (templates.length > 0 && isRead) return <Composer templates={templates} from={copied.data?.data} />;
  return (
    <Page title={text.newCampaign}>
      {templates.length > 0 ? (
        <Shown query={copied}>{() => null}</Shown>
      ) : (
        <Shown query={query}>
          {() => (
            <Empty icon="template" title={text.noTemplates}>
              <p>{text.noTemplatesHint}</p>
              <Link className="button primary" to="/templates">
                {shell.templates}
              </Link>
            </Empty>
          )}
        </Shown>
      )}
    </Page>
  );
};
export default NewCampaign;

/** `from`: the campaign that is copied and changed. */
const Composer = ({ templates, from }: { templates: readonly Template[]; from: CampaignDetails | undefined }): JSX.Element => {
  const text = useText(campaignsText);
  const [name, setName] = useState(from ? text.copyOf(from.name) : '');
  const [templateId, setTemplateId] = useState(from ? String(from.template_id) : '');
  const [fillings, setFillings] = useState<Fillings>(from ? fillingsOf(from) : {});
  const [audience, setAudience] = useState<ChosenAudience>(audienceIn(from));
  const [picture, showPicture] = usePicture();
  const [starts, setStarts] = useState('');
  const [isLater, setLater] = useState(false);
  const sender = useSender(from?.number_id);
  const { dialog, open, close } = useDialog();
  const template = templates.find(({ id }) => String(id) === templateId);
  const parts = useMemo(() => partsOf(template ?? { components: [] }), [template]);
  const wanted = useMemo(() => placeholdersOf(parts), [parts]);
  const multiplier = useMultiplier(template?.max_price, from?.max_price_multiplier);
  const ofTemplate = template ? { template_id: template.id } : {};
  const body = { ...audience, ...ofTemplate, ...parametersOf(wanted, fillings), ...multiplier.body };
  const isCapped = multiplier.field !== undefined;
  const ofSender = sender.numberId === undefined ? {} : { number_id: sender.numberId };
  const isWhole = template !== undefined && isFilled(parts, fillings);
  const { preview, error } = usePreview(isWhole ? body : undefined);
  const hasTime = !isLater || !Number.isNaN(Date.parse(starts));
  const isReady =
    !multiplier.isWrong && name.trim() !== '' && preview !== undefined && preview.eligible_contacts > 0 && hasTime && sender.isRead;
  const confirm = (): void => {
    if (!preview) return;
    open(
      <Confirm
        name={name.trim()}
        body={{ ...body, ...ofSender }}
        from={sender.phone}
        starts={isLater ? starts : undefined}
        preview={preview}
        isCapped={isCapped}
        onClose={close}
      />,
    );
  };
  const showLeftOut = (reason: Reason, count: number): void => open(<LeftOut reason={reason} count={count} body={body} onClose={close} />);
  return (
    <Page
      title={text.newCampaign}
      actions={
        <Button look="primary" icon="send" isSoftDisabled={!isReady} onClick={() => isReady && confirm()}>
          {isLater ? text.schedule : text.sendNow}
        </Button>
      }
    >
      <div className="beside-preview">
        <div>
          <Section title={text.message} hint={text.messageHint}>
            <TextField label={text.name} hint={text.nameHint} value={name} onText={setName} />
            <SelectField
              label={text.template}
              value={templateId}
              choices={[['', text.chooseTemplate], ...templates.map(choiceOf(text.byApi))]}
              onText={(id) => {
                setTemplateId(id);
                setFillings({});
                showPicture(undefined);
              }}
            />
            {sender.field}
            <FillPlaceholders key={templateId} wanted={wanted} fillings={fillings} onFill={setFillings} onPicture={showPicture} />
            {multiplier.field}
          </Section>
          <Section title={text.recipients} hint={text.recipientsHint}>
            <CampaignAudience chosen={audience} onChoose={setAudience} />
            <Counts preview={preview} error={error} isMissing={!isWhole} isCapped={isCapped} onReason={showLeftOut} />
          </Section>
          <TestSend contents={isWhole ? { template_id: template.id, ...ofSender, ...parametersOf(wanted, fillings) } : undefined} />
          <Starts isLater={isLater} onLater={setLater} starts={starts} onStarts={setStarts} />
        </div>
        {template && <RecipientPhone parts={parts} fillings={fillings} picture={picture} recipients={preview?.recipients ?? []} />}
      </div>
      {dialog}
      <LeaveQuestion isChanged={name !== '' || templateId !== ''} />
    </Page>
  );
};

interface StartsProps {
  isLater: boolean;
  onLater: (isLater: boolean) => void;
  /** Local, as the field has it. */
  starts: string;
  onStarts: (starts: string) => void;
}

/** At once, or at a time. */
const Starts = ({ isLater, onLater, starts, onStarts }: StartsProps): JSX.Element => {
  const text = useText(campaignsText);
  return (
    <Section title={text.time}>
      <SelectField
        label={text.starts}
        value={isLater ? 'later' : 'now'}
        choices={[
          ['now', text.atOnce],
          ['later', text.later],
        ]}
        onText={(when) => onLater(when === 'later')}
      />
      {isLater && <TextField label={text.when} hint={text.startsHint} type="datetime-local" value={starts} onText={onStarts} />}
    </Section>
  );
};

/** A template that a form cannot fill for many says so, and cannot be chosen. */
const choiceOf =
  (byApi: string) =>
  (template: Template): readonly [string, string] => {
    const parts = partsOf(template);
    const hasPlace = template.components.some(({ type, format }) => type === 'HEADER' && format === 'LOCATION');
    const isBeyond = isBeyondForm(parts, placeholdersOf(parts), hasPlace);
    const label = `${template.name} (${template.language})`;
    return isBeyond ? ['', `${label}: ${byApi}`] : [String(template.id), label];
  };

const mostParts = 50;

/** Who would get it, counted whole: large audiences part by part. Anew when the form has rested. */
const usePreview = (body: Input<'previewAudience'>['body'] | undefined) => {
  const rested = useRested(JSON.stringify(body ?? null));
  const { data, error } = useQuery({
    queryKey: ['previewAudience', rested],
    queryFn: async ({ signal }): Promise<Preview> => {
      const given = JSON.parse(rested) as Input<'previewAudience'>['body'];
      let whole: Preview | undefined;
      for (let nth = 0, cursor: string | null = null; nth < mostParts && (nth === 0 || cursor !== null); nth++) {
        const { data: part }: { data: Preview } = await api.previewAudience(
          { body: { ...given, ...(cursor === null ? {} : { cursor }) } },
          { signal },
        );
        whole = whole ? sumOf(whole, part) : part;
        cursor = part.next_cursor;
      }
      if (!whole) throw new Error('A preview has one part at least.');
      if (!(await readReach(whole, given.template_id, signal))) return whole;
      return (await api.previewAudience({ body: given }, { signal })).data;
    },
    enabled: rested !== 'null',
    placeholderData: keepPreviousData,
    retry: false,
  });
  return body === undefined ? { preview: undefined, error: null } : { preview: data, error };
};

/** Of so many countries the provider's estimates are read. */
const mostCountries = 5;

/** Reads what the provider expects in the countries of the recipients, where a preview has nothing of it; whether another preview may have it. */
const readReach = async (
  { cost, between, is_partial }: Preview,
  template_id: number | undefined,
  signal: AbortSignal,
): Promise<boolean> => {
  const countries = cost?.countries.flatMap(({ country }) => country ?? []) ?? [];
  const isCapped = cost?.estimate != null && cost.cards.length === 0;
  const isKnowable = countries.length > 0 && countries.length === cost?.countries.length && countries.length <= mostCountries;
  if (between !== null || is_partial || template_id === undefined || !isCapped || !isKnowable) return false;
  const read = countries.map((country) =>
    api.getReach({ query: { country, template_id } }, { signal }).then(
      ({ data }) => data.reason === null,
      () => false,
    ),
  );
  return (await Promise.all(read)).every(Boolean);
};

const sumOf = (one: Preview, next: Preview): Preview => ({
  ...one,
  eligible_contacts: one.eligible_contacts + next.eligible_contacts,
  total: one.total + next.total,
  excluded: Object.fromEntries(
    Object.entries(one.excluded).map(([reason, count]) => [reason, count + next.excluded[reason as keyof Preview['excluded']]]),
  ) as Preview['excluded'],
  cost: one.cost && next.cost && sumOfCosts(one.cost, next.cost),
  eta_seconds: one.eta_seconds + next.eta_seconds,
  between: one.between && next.between && sumOfExpected(one.between, next.between),
  recipients: [...one.recipients, ...next.recipients].slice(0, 20),
});

interface CountsProps {
  preview: Preview | undefined;
  error: Error | null;
  isMissing: boolean;
  isCapped: boolean;
  /** Shows who is left out. */
  onReason: (reason: Reason, count: number) => void;
}

const Counts = ({ preview, error, isMissing, isCapped, onReason }: CountsProps): JSX.Element => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  const reasons = exclusionNames(text);
  if (isMissing) return <p className="muted">{text.fillFirst}</p>;
  return (
    <Shown query={{ data: preview, error, refetch: () => undefined }} rows={1}>
      {({ eligible_contacts: people, excluded, warnings, cost, between }) => (
        <div aria-live="polite">
          <p>
            <strong>{text.getIt(people)}</strong>
          </p>
          <CostLine cost={cost} isCapped={isCapped} />
          <Expected between={between} />
          <ul className="left-out">
            {(Object.keys(excluded) as Reason[])
              .filter((reason) => excluded[reason] > 0)
              .map((reason) => (
                <li key={reason}>
                  <Button look="quiet" small aria-haspopup="dialog" onClick={() => onReason(reason, excluded[reason])}>
                    {reasons[reason]}: <span className="numbers">{formatCount(tag, excluded[reason])}</span>
                  </Button>
                </li>
              ))}
          </ul>
          {warnings.map(({ code, message, fix }) => (
            <p key={code} className="notice">
              {message} {fix}
            </p>
          ))}
        </div>
      )}
    </Shown>
  );
};

interface ConfirmProps {
  name: string;
  body: Omit<Input<'createCampaign'>['body'], 'name' | 'template_id'> & { template_id?: number };
  /** The phone that it is sent from. */
  from: string | undefined;
  starts: string | undefined;
  preview: Preview;
  isCapped: boolean;
  onClose: () => void;
}

/** The last question: how many people and how many not, from which number, when, until when, and what cannot be taken back. */
const Confirm = ({ name, body, from, starts, preview, isCapped, onClose }: ConfirmProps): JSX.Element => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  const navigate = useNavigate();
  const now = useNow();
  const when = starts === undefined ? text.atOnce : formatTime(tag, new Date(starts), { dateStyle: 'full', timeStyle: 'short' });
  const left = Object.values(preview.excluded).reduce((sum, count) => sum + count, 0);
  const ends = (starts === undefined ? now : Date.parse(starts)) + preview.eta_seconds * 1_000;
  return (
    <ConfirmDialog
      isDanger={false}
      title={name}
      action={starts === undefined ? text.sendNow : text.schedule}
      send={(call) =>
        api.createCampaign(
          {
            body: {
              ...body,
              name,
              template_id: body.template_id ?? 0,
              ...(starts === undefined ? { send_now: true } : { send_time: new Date(starts).toISOString() }),
            },
          },
          call,
        )
      }
      onDone={({ data }) => {
        onClose();
        void refresh('listCampaigns');
        void navigate({ to: '/campaigns/$id', params: { id: data.id }, ignoreBlocker: true });
      }}
      onClose={onClose}
    >
      <p>
        <strong>{text.getIt(preview.eligible_contacts)}</strong>
      </p>
      {left > 0 && <p className="muted">{text.areLeftOut(left)}</p>}
      <CostLine cost={preview.cost} isCapped={isCapped} />
      <Expected between={preview.between} />
      {from !== undefined && (
        <p>
          {text.fromNumber}: <bdi className="numbers">{from}</bdi>
        </p>
      )}
      <p>
        {text.whenIs(when)} {text.endsAt(formatTime(tag, ends, { dateStyle: 'short', timeStyle: 'short' }))}
      </p>
      <p className="muted">{starts === undefined ? text.noWayBack : text.untilThen}</p>
    </ConfirmDialog>
  );
};
