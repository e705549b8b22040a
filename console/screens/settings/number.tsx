import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { Shown } from '../../components/shown.tsx';
import { Badge, Button, Copyable, State } from '../../components/basics.tsx';
import { useNumber } from '../../components/charts/frame.tsx';
import { CheckField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { type Answer, api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { ConnectWalk } from './connect-walk.tsx';
import { NumberNav } from './number-nav.tsx';
import { Quality, useLimit } from './number-state.tsx';

type BusinessNumber = Answer<'getNumber'>['data'];

/** One number: what the provider says of it, its pace, and its setup, checked live. */
const NumberPage = (): JSX.Element => {
  const text = useText(settingsText);
  const mayWrite = useMay('admin');
  const { id } = useParams({ from: '/shell/settings/numbers/$id' });
  const params = { id };
  const query = useQuery(read('getNumber', { params }));
  const [isEditing, setEditing] = useState(false);
  const one = query.data?.data;
  useInspectable({ title: text.numbers, subject: `number:${id}`, object: one, call: { operation: 'getNumber', input: { params } } });
  const makeDefault = useWrite(
    (_: undefined, call) => api.updateNumber({ params, body: { is_default: true } }, call),
    () => {
      toast(text.saved);
      void refresh('getNumber', 'listNumbers');
    },
  );
  return (
    <Page
      title={<span dir="ltr">{one ? `+${one.phone}` : text.numbers}</span>}
      filters={<NumberNav id={id} />}
      actions={
        one && (
          <>
            {one.is_default && <Badge look="info">{text.isDefault}</Badge>}
            <State name={text[one.status]} look={one.status === 'active' ? undefined : 'warn'} />
            {mayWrite && !one.is_default && one.status === 'active' && (
              <Button isSoftDisabled={makeDefault.isPending} onClick={() => makeDefault.run(undefined)}>
                {text.makeDefault}
              </Button>
            )}
            {mayWrite && (
              <Button icon="edit" onClick={() => setEditing(true)}>
                {text.numberEdit}
              </Button>
            )}
          </>
        )
      }
    >
      {makeDefault.error && <ProblemCard error={makeDefault.error} />}
      <Shown query={query}>{({ data }) => <NumberFacts number={data} />}</Shown>
      {one && mayWrite && (
        <Section title={text.numberSetup} hint={text.connectText}>
          <ConnectWalk key={one.id} numberId={one.id} isNew={false} />
        </Section>
      )}
      {isEditing && one && <EditNumber number={one} onClose={() => setEditing(false)} />}
    </Page>
  );
};
export default NumberPage;

const NumberFacts = ({ number: one }: { number: BusinessNumber }): JSX.Element => {
  const text = useText(settingsText);
  const number = useNumber();
  const limit = useLimit();
  const restrictions = one.restrictions.map(({ type, expires_at }) => (
    <span key={type} className="row">
      <Badge look="bad">{type}</Badge>
      {expires_at !== null && (
        <>
          {text.until} <Time at={expires_at} long />
        </>
      )}
    </span>
  ));
  return (
    <Facts
      facts={[
        [text.quality, <Quality key="quality" quality={one.quality} />],
        [text.limit, limit(one.messaging_limit)],
        [text.pace, text.paceOf(number(one.rate))],
        [text.account, one.account_state ?? text.unknown],
        [text.restrictions, restrictions.length === 0 ? text.none : restrictions],
        [text.phoneNumberId, <Copyable key="phone" value={one.phone_number_id} />],
        [text.wabaId, <Copyable key="waba" value={one.waba_id} />],
        [text.created, <Time key="created" at={one.created_at} long />],
      ]}
    />
  );
};

const EditNumber = ({ number: { id, phone, ...known }, onClose }: { number: BusinessNumber; onClose: () => void }): JSX.Element => {
  const text = useText(settingsText);
  const { field, check, submitting } = useForm(
    { rate: String(known.rate), isActive: known.status === 'active' },
    (_, call, { rate, isActive }) =>
      api.updateNumber(
        {
          params: { id },
          body: {
            ...(rate === undefined ? {} : { rate: Number(rate) }),
            ...(isActive === undefined ? {} : { status: isActive ? ('active' as const) : ('inactive' as const) }),
          },
        },
        call,
      ),
    () => {
      void refresh('getNumber', 'listNumbers', 'getMe');
      onClose();
    },
  );
  return (
    <FormDialog {...submitting} title={`+${phone}`} isDisabled={!submitting.isChanged} onClose={onClose}>
      <TextField label={text.paceLabel} type="number" min={1} {...field('rate')} />
      <CheckField label={text.sends} hint={text.sendsHint} {...check('isActive')} />
    </FormDialog>
  );
};
