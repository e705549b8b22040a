import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Ceilings as CeilingsRecord } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { amountText } from '../../components/amount.ts';
import { CheckField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { Icon } from '../../components/icons.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { queryClient, read } from '../../data/queries.ts';
import { spendText } from '../../text/spend.ts';
import { useLocale, useText } from '../../text/text.ts';
import { SettingsForm } from '../../components/settings-form.tsx';

/** The most that the company may spend, and what is left of it. */
const Ceilings = (): JSX.Element => {
  const text = useText(spendText);
  const query = useQuery(read('getCeilings'));
  useInspectable({ title: text.ceilings, object: query.data?.data, call: { operation: 'getCeilings', input: {} } });
  return (
    <Page title={text.ceilings}>
      <Shown query={query}>
        {({ data }) => (
          <>
            <Left ceilings={data} />
            <CeilingsForm ceilings={data} />
          </>
        )}
      </Shown>
    </Page>
  );
};
export default Ceilings;

const Left = ({ ceilings: { currency, day, month } }: { ceilings: CeilingsRecord }): JSX.Element | null => {
  const text = useText(spendText);
  const { tag } = useLocale();
  if (currency === null || (day === null && month === null))
    return (
      <div className="notice">
        <Icon name="shield" />
        <p>{text.ceilingsNone}</p>
      </div>
    );
  const amount = (value: string): string => amountText(tag, Number(value), currency);
  const fact = (name: string, ceiling: CeilingsRecord['day']): readonly [string, JSX.Element] | undefined =>
    ceiling === null
      ? undefined
      : [
          name,
          <span key={name}>
            {text.leftOf(amount(ceiling.left), amount(ceiling.limit))} <Time at={ceiling.resets_at} exact />
          </span>,
        ];
  return <Facts facts={[fact(text.ceilingDay, day), fact(text.ceilingMonth, month)]} />;
};

const categories = ['marketing', 'utility', 'authentication', 'service'] as const;

const valuesOf = ({ currency, day, month, code_reserve_percent: reserve, stops, unknown_price, on_reached }: CeilingsRecord) => ({
  currency: currency ?? '',
  day: day?.limit ?? '',
  month: month?.limit ?? '',
  code_reserve_percent: String(reserve),
  unknown_price,
  on_reached,
  marketing: stops.includes('marketing'),
  utility: stops.includes('utility'),
  authentication: stops.includes('authentication'),
  service: stops.includes('service'),
});

const CeilingsForm = ({ ceilings }: { ceilings: CeilingsRecord }): JSX.Element => {
  const text = useText(spendText);
  const { field, check, submitting } = useForm(
    valuesOf(ceilings),
    ({ currency, day, month, code_reserve_percent: reserve, unknown_price, on_reached, ...stops }, call) =>
      api.setCeilings(
        {
          body: {
            ...(currency.trim() === '' ? {} : { currency: currency.trim().toUpperCase() }),
            day: day.trim() === '' ? null : day.trim(),
            month: month.trim() === '' ? null : month.trim(),
            code_reserve_percent: Number(reserve),
            stops: categories.filter((category) => stops[category]),
            unknown_price,
            on_reached,
          },
        },
        call,
      ),
    (answer) => {
      queryClient.setQueryData(read('getCeilings').queryKey, answer);
      toast(text.saved);
    },
  );
  const names = {
    marketing: text.stopsMarketing,
    utility: text.stopsUtility,
    authentication: text.stopsCodes,
    service: text.stopsReplies,
  };
  return (
    <SettingsForm submitting={submitting}>
      <Section title={text.ceilings} hint={text.ceilingsHint}>
        <TextField label={text.ceilingCurrency} hint={text.ceilingCurrencyHint} {...field('currency')} maxLength={3} />
        <TextField label={text.ceilingDay} hint={text.ceilingEmpty} {...field('day')} inputMode="decimal" />
        <TextField label={text.ceilingMonth} hint={text.ceilingEmpty} {...field('month')} inputMode="decimal" />
        <TextField
          label={text.codeReserve}
          hint={text.codeReserveHint}
          {...field('code_reserve_percent')}
          type="number"
          min={0}
          max={100}
        />
      </Section>
      <Section title={text.stops} hint={text.stopsHint}>
        {categories.map((category) => (
          <CheckField key={category} label={names[category]} {...check(category)} />
        ))}
        <SelectField
          label={text.unknownPrice}
          {...field('unknown_price')}
          choices={[
            ['stop', text.unknownStop],
            ['allow', text.unknownAllow],
          ]}
        />
        <SelectField
          label={text.onReached}
          {...field('on_reached')}
          choices={[
            ['wait', text.reachedWait],
            ['stop', text.reachedStop],
          ]}
        />
      </Section>
    </SettingsForm>
  );
};
