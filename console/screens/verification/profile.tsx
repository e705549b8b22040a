import type { ChangeEvent, JSX, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { VerificationProfile } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Button } from '../../components/basics.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { Page, Section } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { queryClient, read, refresh } from '../../data/queries.ts';
import { verificationText } from '../../text/verification.ts';
import { useText } from '../../text/text.ts';
import { SettingsForm } from '../../components/settings-form.tsx';
import { EndTrust } from './end-trust.tsx';
import { ProfileKeys } from './profile-keys.tsx';
import { type PlacedField, placeOf, profileBody, profileValues } from './profile-values.ts';
import { TestSend } from './test-send.tsx';
import './verification.css';

/** One profile: its codes and limits in sentences, its keys with what to write in an app, and a code sent to try it. */
const Profile = (): JSX.Element => {
  const text = useText(verificationText);
  const { profile: id } = useParams({ from: '/shell/verification/profiles/$profile' });
  const input = { params: { profile_id: id } };
  const query = useQuery(read('getVerificationProfile', input));
  const profile = query.data?.data;
  useInspectable({ title: profile?.name ?? text.profile, object: profile, call: { operation: 'getVerificationProfile', input } });
  return (
    <Page title={profile?.name ?? text.profile} actions={profile && <Pause profile={profile} />}>
      <Shown query={query}>
        {({ data }) => (
          <>
            <Sentences profile={data} />
            <Section title={text.keys} hint={text.keysHint}>
              <ProfileKeys profileId={data.id} />
            </Section>
            <Section title={text.trustedDevices} hint={text.trustedDevicesHint}>
              <TrustedDevices profile={data} />
            </Section>
            <Section title={text.tryIt} hint={text.tryItHint}>
              <TestSend profileId={data.id} />
            </Section>
          </>
        )}
      </Shown>
    </Page>
  );
};
export default Profile;

const TrustedDevices = ({ profile }: { profile: VerificationProfile }): JSX.Element => {
  const text = useText(verificationText);
  const { dialog, open, close } = useDialog();
  return (
    <div className="row">
      <Button onClick={() => open(<EndTrust profiles={[profile]} profile={profile.id} onClose={close} />)}>{text.endTrust}</Button>
      {dialog}
    </div>
  );
};

/** A paused profile refuses every call of its keys: there is no other way to stop an app at once. */
const Pause = ({ profile: { id, status } }: { profile: VerificationProfile }): JSX.Element => {
  const text = useText(verificationText);
  const isActive = status === 'active';
  const change = useWrite(
    (next: 'active' | 'inactive', call) => api.updateVerificationProfile({ params: { profile_id: id }, body: { status: next } }, call),
    () => refresh('getVerificationProfile', 'listVerificationProfiles'),
  );
  return (
    <>
      {!isActive && <Badge look="warn">{text.paused}</Badge>}
      {change.error && <ProblemCard error={change.error} />}
      <Button isSoftDisabled={change.isPending} onClick={() => change.run(isActive ? 'inactive' : 'active')}>
        {isActive ? text.pause : text.resume}
      </Button>
    </>
  );
};

const useProfileForm = (profile: VerificationProfile) => {
  const text = useText(verificationText);
  const { values, set, problem, ...form } = useForm(
    profileValues(profile),
    (all, call, changed) => api.updateVerificationProfile({ params: { profile_id: profile.id }, body: profileBody(all, changed) }, call),
    (answer) => {
      queryClient.setQueryData(read('getVerificationProfile', { params: { profile_id: profile.id } }).queryKey, answer);
      void refresh('listVerificationProfiles');
      toast(text.saved);
    },
  );
  const number = (name: Exclude<PlacedField, 'type' | 'countriesMode'> | 'attemptsPerDay', label: string): JSX.Element => (
    <NumberIn
      key={name}
      label={label}
      value={values[name]}
      isRefused={problem(name === 'attemptsPerDay' ? 'settings_json.guess_budget_per_day' : placeOf(name)) !== undefined}
      onText={set(name)}
    />
  );
  return { ...form, values, set, problem, number };
};
type PartProps = { form: ReturnType<typeof useProfileForm> };

const Sentences = ({ profile }: { profile: VerificationProfile }): JSX.Element => {
  const form = useProfileForm(profile);
  return (
    <SettingsForm submitting={form.submitting} isDisabled={form.values.name.trim() === ''}>
      <Codes form={form} />
      <Limits form={form} />
      <WhoMay form={form} />
    </SettingsForm>
  );
};

/** How a code looks, how long it holds, and how it is sent. */
const Codes = ({ form: { field, check, set, values, problem, number } }: PartProps): JSX.Element => {
  const text = useText(verificationText);
  const refusals = [
    ...new Set(['otp', 'bombing', 'velocity', 'ceilings', 'trust', 'guess_budget_per_day'].map((part) => problem(`settings_json.${part}`))),
  ];
  return (
    <Section title={text.codesSection} hint={text.codesHint}>
      {refusals.map(
        (reason) =>
          reason !== undefined && (
            <p key={reason} className="problem" role="alert">
              {reason}
            </p>
          ),
      )}
      <TextField label={text.name} hint={text.profileNameHint} dir="auto" {...field('name')} />
      <Sentence
        words={text.sentenceCode}
        parts={{
          length: number('length', text.code),
          type: (
            <select
              key="type"
              className="input"
              aria-label={text.kind}
              value={values.type}
              onChange={({ target }) => set('type')(target.value as 'numeric')}
            >
              <option value="numeric">{text.digits}</option>
              <option value="alphanumeric">{text.characters}</option>
            </select>
          ),
          minutes: number('expiryMinutes', text.minutes),
          attempts: number('maxAttempts', text.attempts),
        }}
      />
      <Sentence
        words={text.sentenceResend}
        parts={{ seconds: number('resendSeconds', text.seconds), sends: number('maxSends', text.codes) }}
      />
      <div className="pair">
        <SelectField
          label={text.firstChannel}
          choices={[
            ['whatsapp', 'WhatsApp'],
            ['email', text.email],
          ]}
          {...field('first')}
        />
        <CheckField label={text.otherChannel} {...check('other')} />
      </div>
    </Section>
  );
};

/** What holds strangers off. */
const Limits = ({ form: { number } }: PartProps): JSX.Element => {
  const text = useText(verificationText);
  return (
    <Section title={text.limits} hint={text.limitsHint}>
      <Sentence
        words={text.sentenceBombing}
        parts={{
          count: number('bombingMax', text.codes),
          minutes: number('bombingMinutes', text.minutes),
          block: number('bombingBlockMinutes', text.minutes),
        }}
      />
      <Sentence
        words={text.sentenceVelocity}
        parts={{
          count: number('velocityMax', text.who),
          minutes: number('velocityMinutes', text.minutes),
          block: number('velocityBlockMinutes', text.minutes),
        }}
      />
      <Sentence words={text.sentenceCeiling} parts={{ hour: number('perHour', text.codes), day: number('perDay', text.codes) }} />
      <Sentence words={text.sentenceAttempts} parts={{ count: number('attemptsPerDay', text.attempts) }} />
      <Sentence words={text.sentenceTrust} parts={{ days: number('trustDays', text.days) }} />
    </Section>
  );
};

/** Which countries and mailboxes may request a code. */
const WhoMay = ({ form: { field, check, set, values, problem } }: PartProps): JSX.Element => {
  const text = useText(verificationText);
  return (
    <Section title={text.whoMay} hint={text.whoMayHint}>
      <SelectField
        label={text.countries}
        choices={[
          ['all', text.countriesAll],
          ['allow', text.countriesAllow],
          ['block', text.countriesBlock],
        ]}
        {...field('countriesMode')}
        problem={problem('settings_json.countries.mode')}
      />
      {values.countriesMode !== 'all' && (
        <TextField
          label={text.countryCodes}
          hint={text.countryCodesHint}
          value={values.countries}
          onText={set('countries')}
          problem={problem('settings_json.countries.list')}
        />
      )}
      <CheckField label={text.refuseDisposable} {...check('blockDisposable')} />
      <CheckField label={text.requireSignature} hint={text.requireSignatureHint} {...check('requireSignature')} />
    </Section>
  );
};

/** A sentence with fields in it, where its words have their names in braces: each language has them in its own order. */
const Sentence = ({ words, parts }: { words: string; parts: Readonly<Record<string, ReactNode>> }): JSX.Element => (
  <p className="sentence">
    {words.split(/(\{\w+\})/).map((each, place) => {
      const name = /^\{(\w+)\}$/.exec(each)?.[1];
      // oxlint-disable-next-line react/no-array-index-key -- words have no other name
      return <span key={place}>{name === undefined ? each : parts[name]}</span>;
    })}
  </p>
);

type NumberProps = { label: string; value: string; isRefused: boolean; onText: (value: string) => void };
const NumberIn = ({ label, value, isRefused, onText }: NumberProps): JSX.Element => (
  <input
    className="input numbers"
    type="number"
    min={0}
    step="any"
    aria-label={label}
    aria-invalid={isRefused}
    value={value}
    onChange={({ target }: ChangeEvent<HTMLInputElement>) => onText(target.value)}
  />
);
