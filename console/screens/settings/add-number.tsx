import type { JSX } from 'react';
import { TextField } from '../../components/fields.tsx';
import { Form, SubmitButton, useForm } from '../../components/form.tsx';
import { api, type Input } from '../../data/client.ts';
import { refresh } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

const nothing = { phone: '', phone_number_id: '', waba_id: '', access_token: '', app_secret: '' } satisfies Input<'addNumber'>['body'];

/** The first step: what the provider calls the number, and the secrets of its app. They are sealed, and leave the page with the answer. */
export const AddNumber = ({ onAdded }: { onAdded: (id: number) => void }): JSX.Element => {
  const text = useText(settingsText);
  const { values, field, submitting } = useForm(
    nothing,
    (body, call) => api.addNumber({ body }, call),
    ({ data }) => {
      void refresh('listNumbers', 'getMe');
      onAdded(data.id);
    },
  );
  const secret = { type: 'password', autoComplete: 'new-password', spellCheck: false };
  return (
    <Form submitting={submitting} className="form">
      <TextField label={text.phone} type="tel" placeholder="+49 30 1234567" spellCheck={false} {...field('phone')} />
      <TextField label={text.phoneNumberId} hint={text.idsHint} inputMode="numeric" spellCheck={false} {...field('phone_number_id')} />
      <TextField label={text.wabaId} inputMode="numeric" spellCheck={false} {...field('waba_id')} />
      <TextField label={text.accessToken} hint={text.accessTokenHint} {...field('access_token')} {...secret} />
      <TextField label={text.appSecret} hint={text.appSecretHint} {...field('app_secret')} {...secret} />
      <div className="actions">
        <SubmitButton write={submitting.write} isDisabled={Object.values(values).some((each) => each.trim() === '')}>
          {text.add}
        </SubmitButton>
      </div>
    </Form>
  );
};
