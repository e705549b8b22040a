import { type JSX, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Company as CompanyRecord } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Shown } from '../../components/shown.tsx';
import { countryName } from '../../components/country.ts';
import { Meter } from '../../components/charts/progress.tsx';
import { CheckField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { Page, Section } from '../../components/page.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { queryClient, read, refresh } from '../../data/queries.ts';
import { useMay, useMe } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useLocale, useText } from '../../text/text.ts';
import { SettingsForm } from '../../components/settings-form.tsx';

/** The company: name, time zone, how strict it is, reminders, and its plan. */
const Company = (): JSX.Element => {
  const text = useText(settingsText);
  const query = useQuery(read('getCompanySettings'));
  const company = query.data?.data;
  useInspectable({
    title: text.company,
    ...(company ? { subject: `company:${company.id}`, object: company } : {}),
    call: { operation: 'getCompanySettings', input: {} },
  });
  return (
    <Page title={text.company}>
      <Shown query={query}>{({ data }) => <CompanyForm company={data} />}</Shown>
    </Page>
  );
};
export default Company;

type CompanyValues = Pick<CompanyRecord, 'name' | 'timezone'> & CompanyRecord['settings'];

/** What was changed, and nothing else: others may have changed the rest meanwhile. */
const bodyOf = ({ name, timezone, ...settings }: Partial<CompanyValues>) => ({
  ...(name === undefined ? {} : { name: name.trim() }),
  ...(timezone === undefined ? {} : { timezone }),
  ...(Object.keys(settings).length === 0 ? {} : { settings }),
});

const useCompanyForm = ({ name, timezone, settings }: CompanyRecord) => {
  const text = useText(settingsText);
  return useForm(
    { name, timezone, ...settings } satisfies CompanyValues,
    (_, call, changed) => api.updateCompanySettings({ body: bodyOf(changed) }, call),
    (answer) => {
      queryClient.setQueryData(read('getCompanySettings').queryKey, answer);
      void refresh('getMe');
      toast(text.saved);
    },
  );
};

const CompanyForm = ({ company }: { company: CompanyRecord }): JSX.Element => {
  const text = useText(settingsText);
  const form = useCompanyForm(company);
  const { values, field, check, set, problem } = form;
  const { limits, usage } = { limits: company.plan.limits, usage: useMe().plan.usage };
  const countries = useCountries();
  const zones = [...new Set([company.timezone, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return (
    <SettingsForm submitting={form.submitting} isDisabled={values.name.trim() === ''}>
      <Section title={text.general} hint={text.companyHint}>
        <TextField label={text.companyName} {...field('name')} />
        <SelectField
          label={text.timezone}
          hint={text.timezoneHint}
          choices={zones.map((zone) => [zone, zone.replaceAll('_', ' ')] as const)}
          {...field('timezone')}
        />
      </Section>
      <Section title={text.messages} hint={text.messagesHint}>
        <SelectField
          label={text.windowPolicy}
          choices={[
            ['provider', text.windowProvider],
            ['enforce', text.windowEnforce],
          ]}
          {...field('window_policy')}
          problem={problem('settings.window_policy')}
        />
        <SelectField
          label={text.assignOnReply}
          choices={[
            ['none', text.assignNone],
            ['sessions', text.assignSessions],
            ['all', text.assignAll],
          ]}
          {...field('assign_on_reply')}
          problem={problem('settings.assign_on_reply')}
        />
        <SelectField
          label={text.defaultCountry}
          hint={text.defaultCountryHint}
          value={values.default_country ?? ''}
          choices={[['', text.none], ...countries]}
          onText={(value) => set('default_country')(value === '' ? null : value)}
          problem={problem('settings.default_country')}
        />
        <CheckField label={text.subscribedByDefault} hint={text.subscribedByDefaultHint} {...check('subscribed_by_default')} />
        <TextField
          label={text.retentionDays}
          hint={text.retentionHint}
          type="number"
          min={30}
          max={3650}
          value={values.retention_days ?? ''}
          onText={(value) => set('retention_days')(value === '' ? null : Number(value))}
          problem={problem('settings.retention_days')}
        />
      </Section>
      <Section title={text.inputs} hint={text.inputsHint}>
        <Calls form={form} />
      </Section>
      <Section title={text.reminders} hint={text.remindersHint}>
        <Reminders form={form} />
      </Section>
      <Section title={`${text.plan}: ${company.plan.name}`} hint={text.planHint}>
        <Meter name={text.contacts} used={usage.contacts} limit={limits.contacts} />
        <Meter name={text.users} used={usage.users} limit={limits.users} />
        <Meter name={text.numbers} used={usage.numbers} limit={limits.numbers} />
      </Section>
    </SettingsForm>
  );
};

/** What calls of the API may say, and what is logged of them. */
const Calls = ({ form: { field, check, problem } }: { form: ReturnType<typeof useCompanyForm> }): JSX.Element => {
  const text = useText(settingsText);
  return (
    <>
      <CheckField label={text.strictFields} {...check('strict_fields')} />
      <CheckField label={text.strictInput} hint={text.strictInputHint} {...check('strict_input')} />
      <CheckField label={text.queryTokens} hint={text.queryTokensHint} {...check('query_tokens')} />
      <SelectField
        label={text.requestLog}
        hint={text.requestLogHint}
        choices={[
          ['refused', text.requestsRefused],
          ['all', text.requestsAll],
          ['none', text.requestsNone],
        ]}
        {...field('request_log')}
        problem={problem('settings.request_log')}
      />
      <CheckField label={text.requestBodies} hint={text.requestBodiesHint} {...check('request_bodies')} />
    </>
  );
};

/** The countries that the API knows, by their names in the reader's language. */
const useCountries = (): (readonly [string, string])[] => {
  const { tag } = useLocale();
  const { data } = useQuery({ ...read('listCountries'), staleTime: Infinity });
  return useMemo(() => {
    return (data?.data ?? [])
      .map(({ code }) => [code, countryName(tag, code)] as const)
      .toSorted(([, one], [, other]) => one.localeCompare(other, tag));
  }, [data, tag]);
};

const Reminders = ({ form: { values, set, problem } }: { form: ReturnType<typeof useCompanyForm> }): JSX.Element => {
  const text = useText(settingsText);
  const templates = useQuery({ ...read('listTemplates', { query: { status: 'APPROVED', limit: 100 } }), enabled: useMay('admin') });
  return (
    <>
      <TextField
        label={text.reminderMinutes}
        type="number"
        min={0}
        value={values.task_reminder_minutes}
        onText={(value) => set('task_reminder_minutes')(Number(value))}
        problem={problem('settings.task_reminder_minutes')}
      />
      <SelectField
        label={text.reminderTemplate}
        hint={text.reminderTemplateHint}
        value={String(values.task_reminder_template_id ?? '')}
        onText={(value) => set('task_reminder_template_id')(value === '' ? null : Number(value))}
        choices={[
          ['', text.none],
          ...(templates.data?.data ?? [])
            .filter(({ category, id }) => category === 'UTILITY' || id === values.task_reminder_template_id)
            .map((each) => [String(each.id), `${each.name} (${each.language})`] as const),
        ]}
        problem={problem('settings.task_reminder_template_id')}
      />
    </>
  );
};
