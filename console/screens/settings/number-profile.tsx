import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { mostOfNumber as most } from '../../../functions/messaging/domain/number-limits.ts';
import { isVertical, type Vertical } from '../../../functions/messaging/domain/vertical.ts';
import { useInspectable } from '../../app/inspected.ts';
import { type Choice, LongTextField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { toast } from '../../components/toasts.tsx';
import { type Answer, api } from '../../data/client.ts';
import { isAboutGone, isPageOrEmpty, isProfileReady, profileBody, profileValues } from '../../data/number-tools.ts';
import { queryClient, read } from '../../data/queries.ts';
import { numberToolsText } from '../../text/number-tools.ts';
import { problemsText } from '../../text/problems.ts';
import { settingsText } from '../../text/settings.ts';
import { useLocale, useText } from '../../text/text.ts';
import { NumberNav, useTitleOf } from './number-nav.tsx';
import { NumberUsername } from './number-username.tsx';
import { SettingsForm } from '../../components/settings-form.tsx';
import { useWithin } from './within.ts';

type Profile = Answer<'getNumberProfile'>['data'];

/** What customers see of a number in WhatsApp: the username, and the business profile. */
const NumberProfile = (): JSX.Element => {
  const text = useText(numberToolsText);
  const settings = useText(settingsText);
  const { id } = useParams({ from: '/shell/settings/numbers/$id/profile' });
  const params = { id };
  const query = useQuery(read('getNumberProfile', { params }));
  const title = useTitleOf(id, settings.numberProfile, text.profileOf);
  useInspectable({ title, subject: `number:${id}`, object: query.data?.data, call: { operation: 'getNumberProfile', input: { params } } });
  return (
    <Page title={title} filters={<NumberNav id={id} />}>
      <NumberUsername key={id} id={id} />
      <Shown query={query}>{({ data }) => <ProfileForm key={id} id={id} profile={data} />}</Shown>
    </Page>
  );
};
export default NumberProfile;

const useProfileForm = (id: number, profile: Profile) => {
  const settings = useText(settingsText);
  const params = { id };
  const before = profileValues(profile);
  const form = useForm(
    before,
    (_, call, changed) => api.updateNumberProfile({ params, body: profileBody(changed) }, call),
    (answer) => {
      queryClient.setQueryData(read('getNumberProfile', { params }).queryKey, answer);
      toast(settings.saved);
    },
  );
  return { ...form, before };
};
type ProfileFormState = ReturnType<typeof useProfileForm>;

const ProfileForm = ({ id, profile }: { id: number; profile: Profile }): JSX.Element => {
  const text = useText(numberToolsText);
  const settings = useText(settingsText);
  const problems = useText(problemsText);
  const within = useWithin();
  const form = useProfileForm(id, profile);
  const { values, before, field, submitting } = form;
  const about = within(field('about'), most.about, text.aboutHint);
  const verticals = useVerticals(before.vertical);
  return (
    <SettingsForm submitting={submitting} isDisabled={!isProfileReady(values, before)}>
      <Section title={settings.numberProfile} hint={text.profileHint}>
        <Picture url={profile.picture_url} />
        <TextField label={text.about} dir="auto" {...about} problem={isAboutGone(values, before) ? problems.needed : about.problem} />
        <LongTextField label={text.description} dir="auto" {...within(field('description'), most.description)} />
        <SelectField label={text.vertical} choices={verticals} {...field('vertical')} />
      </Section>
      <Reach form={form} />
    </SettingsForm>
  );
};

const Picture = ({ url }: { url: string | null }): JSX.Element => {
  const text = useText(numberToolsText);
  return (
    <div className="field">
      <span className="label">{text.picture}</span>
      {/* the page shows no picture of another host: it opens beside it */}
      {url === null ? (
        <span>{text.pictureNone}</span>
      ) : (
        <a href={url} target="_blank" rel="noreferrer">
          {text.pictureOpen}
        </a>
      )}
      <span className="hint">{text.pictureHint}</span>
    </div>
  );
};

const Reach = ({ form: { values, before, field, set } }: { form: ProfileFormState }): JSX.Element => {
  const text = useText(numberToolsText);
  const settings = useText(settingsText);
  const problems = useText(problemsText);
  const within = useWithin();
  const setPage = (nth: number, value: string): void =>
    set('websites')(values.websites.map((page, index) => (index === nth ? value : page)));
  return (
    <Section title={text.reach} hint={text.reachHint}>
      <LongTextField label={text.address} dir="auto" rows={2} {...within(field('address'), most.address)} />
      <TextField label={settings.email} type="email" spellCheck={false} {...within(field('email'), most.email)} />
      {values.websites.map((page, nth) => (
        <TextField
          // oxlint-disable-next-line react/no-array-index-key -- fields have no other name
          key={nth}
          label={text.website(nth + 1)}
          type="url"
          dir="ltr"
          placeholder="https://"
          spellCheck={false}
          onText={(value) => setPage(nth, value)}
          {...within(
            { value: page, problem: page === before.websites[nth] || isPageOrEmpty(page) ? undefined : problems.address },
            most.website,
          )}
        />
      ))}
    </Section>
  );
};

/** The lines of business by their names in the reader's language; one that the provider has and that is not known here stays as it is. */
const useVerticals = (present: string): Choice[] => {
  const text = useText(numberToolsText);
  const { tag } = useLocale();
  const names: Readonly<Record<Vertical, string>> = {
    ALCOHOL: text.alcohol,
    APPAREL: text.apparel,
    AUTO: text.auto,
    BEAUTY: text.beauty,
    EDU: text.edu,
    ENTERTAIN: text.entertain,
    EVENT_PLAN: text.eventPlan,
    FINANCE: text.finance,
    GOVT: text.govt,
    GROCERY: text.grocery,
    HEALTH: text.health,
    HOTEL: text.hotel,
    NONPROFIT: text.nonprofit,
    NOT_A_BIZ: text.notABiz,
    ONLINE_GAMBLING: text.onlineGambling,
    OTC_DRUGS: text.otcDrugs,
    OTHER: text.other,
    PHYSICAL_GAMBLING: text.physicalGambling,
    PROF_SERVICES: text.profServices,
    RESTAURANT: text.restaurant,
    RETAIL: text.retail,
    TRAVEL: text.travel,
  };
  const known = Object.entries(names).toSorted(([, one], [, other]) => one.localeCompare(other, tag));
  return isVertical(present) ? known : [[present, present === '' ? text.verticalNone : present], ...known];
};
