import { type FormEvent, type JSX, useState } from 'react';
import { Button } from '../../components/basics.tsx';
import { isOfFields, problemOf, TextField } from '../../components/fields.tsx';
import { Spinner } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { api, type Input } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

const nothing = { phone: '', phone_number_id: '', waba_id: '', access_token: '', app_secret: '' } satisfies Input<'addNumber'>['body'];
const fields = Object.keys(nothing);

/** The first step: what the provider calls the number, and the secrets of its app. They are sealed, and leave the page with the answer. */
export const AddNumber = ({ onAdded }: { onAdded: (id: number) => void }): JSX.Element => {
  const text = useText(settingsText);
  const [given, setGiven] = useState(nothing);
  const add = useWrite(
    (_: undefined, call) => api.addNumber({ body: given }, call),
    ({ data }) => {
      void refresh('listNumbers', 'getMe');
      onAdded(data.id);
    },
  );
  const field = (name: keyof typeof nothing) => ({
    value: given[name],
    onText: (value: string) => setGiven((before) => ({ ...before, [name]: value.trim() === '' ? '' : value })),
    problem: problemOf(add.error, name),
    spellCheck: false,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.run(undefined);
  };
  const isWhole = Object.values(given).every((each) => each.trim() !== '');
  return (
    <form className="form" noValidate onSubmit={submit}>
      {add.error && !isOfFields(add.error, fields) && <ProblemCard error={add.error} />}
      <TextField label={text.phone} type="tel" placeholder="+49 30 1234567" {...field('phone')} />
      <TextField label={text.phoneNumberId} hint={text.idsHint} inputMode="numeric" {...field('phone_number_id')} />
      <TextField label={text.wabaId} inputMode="numeric" {...field('waba_id')} />
      <TextField
        label={text.accessToken}
        hint={text.accessTokenHint}
        {...field('access_token')}
        type="password"
        autoComplete="new-password"
      />
      <TextField label={text.appSecret} hint={text.appSecretHint} {...field('app_secret')} type="password" autoComplete="new-password" />
      <div className="actions">
        <Button type="submit" look="primary" disabled={add.isPending || !isWhole}>
          {add.isPending && <Spinner />}
          {text.add}
        </Button>
      </div>
    </form>
  );
};
