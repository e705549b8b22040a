import { type JSX, useRef, useState } from 'react';
import { Link } from '@tanstack/react-router';
import type { Contact } from '../../../client/client.ts';
import { Badge, Button } from '../../components/basics.tsx';
import { ContactPicker } from '../../components/contact-picker.tsx';
import { TextField } from '../../components/fields.tsx';
import { Spinner } from '../../components/icons.tsx';
import { Section } from '../../components/page.tsx';
import { reasonOf, wordsOf } from '../../components/problem-words.ts';
import { api, type Input, SwitchboardProblem } from '../../data/client.ts';
import { addressOf } from '../../data/phone.ts';
import { WriteKey } from '../../data/write-key.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { problemsText } from '../../text/problems.ts';
import { useText } from '../../text/text.ts';

type Contents = Omit<Input<'sendTestMessage'>['body'], 'phone' | 'contact_id'>;
type Recipient = { name: string } & ({ phone: string } | { contact_id: number });
/** What became of a test: the conversation in which it stands, or why it was refused. */
type Outcome = { contactId: number } | { refused: unknown };

/** Sends the message to chosen people, before the campaign: to see it on a phone. `contents` is undefined while values are missing. */
export const TestSend = ({ contents }: { contents: Contents | undefined }): JSX.Element => {
  const text = useText(campaignsText);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<readonly Contact[]>([]);
  const { outcomes, isSending, send } = useTests(contents);
  const phones = typed.split(/[,;\n]/).map((each) => each.trim());
  const recipients: readonly Recipient[] = [
    ...phones.filter((phone) => phone !== '').map((phone) => ({ name: phone, phone })),
    ...chosen.map((contact) => ({ name: contact.name ?? addressOf(contact), contact_id: contact.id })),
  ];
  const isReady = contents !== undefined && recipients.length > 0 && !isSending;
  return (
    <Section title={text.test} hint={text.testHint}>
      <TextField label={text.testPhones} hint={text.testPhonesHint} type="tel" value={typed} onText={setTyped} />
      <ContactPicker
        // anew after each choice
        key={chosen.length}
        label={text.testContact}
        changeLabel={text.remove}
        chosen={undefined}
        onChoose={(contact) => contact && setChosen([...chosen.filter(({ id }) => id !== contact.id), contact])}
      />
      {chosen.length > 0 && (
        <ul className="test-recipients">
          {chosen.map((contact) => (
            <li key={contact.id} className="row">
              <span className="grow cut" dir="auto">
                {contact.name ?? addressOf(contact)}
              </span>
              <Button
                small
                look="quiet"
                icon="close"
                label={`${text.takeOut}: ${contact.name ?? addressOf(contact)}`}
                onClick={() => setChosen(chosen.filter(({ id }) => id !== contact.id))}
              />
            </li>
          ))}
        </ul>
      )}
      <p>
        <Button icon="phone" isSoftDisabled={!isReady} onClick={() => isReady && void send(recipients)}>
          {isSending && <Spinner />}
          {text.sendTests(Math.max(1, recipients.length))}
        </Button>
      </p>
      {contents === undefined && <p className="muted">{text.testFillFirst}</p>}
      <ul className="test-recipients" aria-live="polite">
        {outcomes.map(({ name, outcome }) => (
          <li key={name} className="row">
            <span className="cut" dir="auto">
              {name}
            </span>
            <OutcomeOf outcome={outcome} />
          </li>
        ))}
      </ul>
    </Section>
  );
};

/** The tests one after another, each with a key of its own: a second press sends none twice whose answer was lost. */
const useTests = (contents: Contents | undefined) => {
  const [outcomes, setOutcomes] = useState<readonly { name: string; outcome: Outcome }[]>([]);
  const [isSending, setSending] = useState(false);
  const keys = useRef(new Map<string, WriteKey>());
  const send = async (recipients: readonly Recipient[]): Promise<void> => {
    if (!contents) return;
    setSending(true);
    setOutcomes([]);
    for (const { name, ...to } of recipients) {
      const key = keys.current.get(name) ?? new WriteKey();
      keys.current.set(name, key);
      const outcome = await sendOne({ ...contents, ...to }, key);
      setOutcomes((before) => [...before.filter((each) => each.name !== name), { name, outcome }]);
    }
    setSending(false);
  };
  return { outcomes, isSending, send };
};

const sendOne = async (body: Input<'sendTestMessage'>['body'], key: WriteKey): Promise<Outcome> => {
  try {
    const { data } = await api.sendTestMessage({ body }, { idempotencyKey: key.of(body) });
    key.answered();
    return { contactId: data.contact_id };
  } catch (refused) {
    key.answered(refused);
    return { refused };
  }
};

const OutcomeOf = ({ outcome }: { outcome: Outcome }): JSX.Element => {
  const text = useText(campaignsText);
  const problems = useText(problemsText);
  if ('contactId' in outcome)
    return (
      <>
        <Badge look="good">{text.testSent}</Badge>
        <Link to="/inbox/$id" params={{ id: outcome.contactId }} target="_blank">
          {text.conversation}
        </Link>
      </>
    );
  const reasons = outcome.refused instanceof SwitchboardProblem ? Object.values(outcome.refused.errors).flat() : [];
  const words = reasons.length > 0 ? reasons.map((each) => reasonOf(each, problems)).join(' ') : wordsOf(outcome.refused, problems).title;
  return (
    <span className="problem" role="alert">
      {words}
    </span>
  );
};
