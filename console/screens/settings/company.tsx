import { type FormEvent, type JSX, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Company as CompanyRecord } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Loading } from '../../components/basics.tsx';
import { Meter } from '../../components/charts/progress.tsx';
import { CheckField, isOfFields, problemOf, SelectField, TextField } from '../../components/fields.tsx';
import { Icon, Spinner } from '../../components/icons.tsx';
import { Page, Section } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { queryClient, read, refresh } from '../../data/queries.ts';
import { useMay, useMe } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';

/** The company: name, time zone, how strict it is, reminders, and its plan. */
const Company = (): JSX.Element => {
  const text = useText(settingsText);
  const { data, error, refetch } = useQuery(read('getCompanySettings'));
  useInspectable({
    title: text.company,
    ...(data ? { subject: `company:${data.data.id}`, object: data.data } : {}),
    call: { operation: 'getCompanySettings', input: {} },
  });
  return (
    <Page title={text.company}>
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <CompanyForm key={data.data.updated_at} company={data.data} />}
    </Page>
  );
};
export default Company;

const fields = ['name', 'timezone', 'settings'];

const CompanyForm = ({ company }: { company: CompanyRecord }): JSX.Element => {
  const text = useText(settingsText);
  const shell = useText(shellText);
  const me = useMe();
  const mayWrite = useMay('admin');
  const [name, setName] = useState(company.name);
  const [timezone, setTimezone] = useState(company.timezone);
  const [settings, setSettings] = useState(company.settings);
  const { limits, usage } = { limits: company.plan.limits, usage: me.plan.usage };
  const set =
    <K extends keyof typeof settings>(key: K) =>
    (value: (typeof settings)[K]): void =>
      setSettings((before) => ({ ...before, [key]: value }));
  const save = useWrite(
    (_: undefined, call) => api.updateCompanySettings({ body: { name: name.trim(), timezone, settings } }, call),
    (answer) => {
      queryClient.setQueryData(read('getCompanySettings').queryKey, answer);
      void refresh('getMe');
      toast(text.saved);
    },
  );
  const zones = useMemo(() => {
    const all = Intl.supportedValuesOf('timeZone');
    return [...new Set([company.timezone, 'UTC', ...all])].map((zone) => [zone, zone.replaceAll('_', ' ')] as const);
  }, [company.timezone]);
  const templates = useQuery({ ...read('listTemplates', { query: { status: 'APPROVED', limit: 100 } }), enabled: mayWrite });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.run(undefined);
  };
  const problem = (field: string): string | undefined => problemOf(save.error, field);
  return (
    <form noValidate onSubmit={submit}>
      {save.error && !isOfFields(save.error, fields) && <ProblemCard error={save.error} />}
      {!mayWrite && (
        <div className="notice info">
          <Icon name="alert" />
          <p>{text.readOnly(shell.admin)}</p>
        </div>
      )}
      <fieldset className="field" disabled={!mayWrite}>
        <Section title={text.company} hint={text.companyHint}>
          <TextField label={text.companyName} value={name} onText={setName} problem={problem('name')} />
          <SelectField
            label={text.timezone}
            hint={text.timezoneHint}
            value={timezone}
            onText={setTimezone}
            choices={zones}
            problem={problem('timezone')}
          />
        </Section>
        <Section title={text.messages} hint={text.messagesHint}>
          <SelectField
            label={text.windowPolicy}
            value={settings.window_policy}
            onText={set('window_policy')}
            choices={[
              ['provider', text.windowProvider],
              ['enforce', text.windowEnforce],
            ]}
            problem={problem('settings.window_policy')}
          />
          <TextField
            label={text.defaultCountry}
            hint={text.defaultCountryHint}
            value={settings.default_country ?? ''}
            maxLength={2}
            onText={(value) => set('default_country')(value === '' ? null : value.toUpperCase())}
            problem={problem('settings.default_country')}
          />
        </Section>
        <Section title={text.inputs} hint={text.inputsHint}>
          <CheckField label={text.strictFields} checked={settings.strict_fields} onCheck={set('strict_fields')} />
          <CheckField label={text.strictInput} hint={text.strictInputHint} checked={settings.strict_input} onCheck={set('strict_input')} />
          <CheckField label={text.queryTokens} hint={text.queryTokensHint} checked={settings.query_tokens} onCheck={set('query_tokens')} />
        </Section>
        <Section title={text.reminders} hint={text.remindersHint}>
          <TextField
            label={text.reminderMinutes}
            type="number"
            min={0}
            value={settings.task_reminder_minutes}
            onText={(value) => set('task_reminder_minutes')(Number(value))}
            problem={problem('settings.task_reminder_minutes')}
          />
          <SelectField
            label={text.reminderTemplate}
            hint={text.reminderTemplateHint}
            value={String(settings.task_reminder_template_id ?? '')}
            onText={(value) => set('task_reminder_template_id')(value === '' ? null : Number(value))}
            choices={[
              ['', text.none],
              ...(templates.data?.data ?? [])
                .filter(({ category, id }) => category === 'UTILITY' || id === settings.task_reminder_template_id)
                .map((each) => [String(each.id), `${each.name} (${each.language})`] as const),
            ]}
            problem={problem('settings.task_reminder_template_id')}
          />
        </Section>
        <Section title={`${text.plan}: ${company.plan.name}`} hint={text.planHint}>
          <Meter name={text.contacts} used={usage.contacts} limit={limits.contacts} />
          <Meter name={text.users} used={usage.users} limit={limits.users} />
          <Meter name={text.numbers} used={usage.numbers} limit={limits.numbers} />
        </Section>
      </fieldset>
      {mayWrite && (
        <div className="save-line">
          <Button type="submit" look="primary" disabled={save.isPending || name.trim() === ''}>
            {save.isPending && <Spinner />}
            {shell.save}
          </Button>
        </div>
      )}
    </form>
  );
};
