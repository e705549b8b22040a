import { type JSX, useCallback, useEffect, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Number as CompanyNumber } from '../../../client/client.ts';
import { Avatar, Button, Loading } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DialogSearch } from '../../components/dialog-search.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useForm } from '../../components/form.tsx';
import { Icon } from '../../components/icons.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { api, SwitchboardProblem } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { useRested } from '../../data/rested.ts';
import { whenThere } from '../../data/when-there.ts';
import { formatPhone } from '../../data/phone.ts';
import { shellText } from '../../text/shell.ts';
import { startText } from '../../text/start.ts';
import { useText } from '../../text/text.ts';
import { useOpen } from './inbox-list.ts';
import TemplatePicker from './template-picker.tsx';
import { typedPhone } from './typed-phone.ts';

interface Recipient {
  id: number;
  name: string | null;
  phone: string;
}

/** A conversation that the company begins: with a contact, or a phone that becomes one; from one of its numbers; in free text where that is delivered, else by a template. */
const StartConversation = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const [recipient, setRecipient] = useState<Recipient>();
  const [phone, setPhone] = useState<string>();
  if (recipient) return <ChooseNumber recipient={recipient} onBack={() => setRecipient(undefined)} onClose={onClose} />;
  if (phone !== undefined) return <NewContact phone={phone} onMade={setRecipient} onClose={onClose} />;
  return <ChooseContact onChoose={setRecipient} onNew={setPhone} onClose={onClose} />;
};
export default StartConversation;

interface ChooseContactProps {
  onChoose: (contact: Recipient) => void;
  onNew: (phone: string) => void;
  onClose: () => void;
}

const shortest = 2;

const ChooseContact = ({ onChoose, onNew, onClose }: ChooseContactProps): JSX.Element => {
  const text = useText(startText);
  const [typed, setTyped] = useState('');
  const search = useRested(typed.trim());
  const { data, error } = useQuery({
    ...read('listContacts', { query: { search: typedPhone(search) ?? search, limit: 8 } }),
    enabled: search.length >= shortest,
    placeholderData: keepPreviousData,
  });
  const found = search.length >= shortest ? (data?.data ?? []) : [];
  const phone = typedPhone(typed);
  const newPhone = phone === undefined || found.some((each) => each.phone === phone) ? undefined : phone;
  const first = (): void => {
    // what is shown is of an earlier text until the typing rests
    if (search !== typed.trim()) return;
    if (found[0]) onChoose(found[0]);
    else if (newPhone !== undefined) onNew(newPhone);
  };
  return (
    <Dialog title={text.title} onClose={onClose}>
      <DialogSearch label={text.search} value={typed} onText={setTyped} onEnter={first} />
      {error && <ProblemCard error={error} />}
      <ul className="template-list" aria-label={text.contacts}>
        {found.map((each) => (
          <li key={each.id}>
            <button type="button" className="row" onClick={() => onChoose(each)}>
              <span className="row">
                <Avatar name={each.name ?? each.phone} size={24} />
                <span className="cut grow" dir="auto">
                  {each.name ?? formatPhone(each.phone)}
                </span>
                {each.name !== null && <span className="muted numbers">{formatPhone(each.phone)}</span>}
              </span>
            </button>
          </li>
        ))}
        {newPhone !== undefined && (
          <li>
            <button type="button" onClick={() => onNew(newPhone)}>
              <span className="row">
                <Icon name="plus" />
                {text.make(formatPhone(newPhone))}
              </span>
            </button>
          </li>
        )}
      </ul>
      {found.length === 0 && newPhone === undefined && (
        <p className="muted" role="status">
          {typed.trim() === '' ? text.searchHint : search.length < shortest ? text.searchShort : data ? text.none : ''}
        </p>
      )}
    </Dialog>
  );
};

interface NewContactProps {
  phone: string;
  onMade: (contact: Recipient) => void;
  onClose: () => void;
}

/** A phone that no contact has, as far as was found. Where one has it, the API takes that contact, and changes its name if one is typed. */
const NewContact = ({ phone, onMade, onClose }: NewContactProps): JSX.Element => {
  const text = useText(startText);
  const { submitting, field } = useForm(
    { phone: `+${phone}`, name: '' },
    ({ phone: given, name }, call) =>
      api.createContact({ body: { phone: given, ...(name.trim() === '' ? {} : { name: name.trim() }) } }, call),
    ({ data }) => {
      void refresh('listContacts');
      onMade(data);
    },
  );
  return (
    <FormDialog title={text.newContact} action={text.next} {...submitting} onClose={onClose}>
      <TextField label={text.phone} hint={text.phoneHint} type="tel" required {...field('phone')} />
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the first field that is empty */}
      <TextField label={text.name} autoFocus dir="auto" maxLength={100} {...field('name')} />
    </FormDialog>
  );
};

interface ChooseNumberProps {
  recipient: Recipient;
  onBack: () => void;
  onClose: () => void;
}

/** From which number, and whether free text is delivered from it. With one number there is nothing to choose. */
const ChooseNumber = ({ recipient, onBack, onClose }: ChooseNumberProps): JSX.Element => {
  const text = useText(startText);
  const shell = useText(shellText);
  const open = useOpen();
  const { id } = recipient;
  const numbers = useQuery(read('listNumbers'));
  const conversation = useQuery({ ...read('getConversation', { params: { id } }), retry: false });
  const [chosen, setChosen] = useState<number>();
  const [isTemplate, setTemplate] = useState(false);
  const active = (numbers.data?.data ?? []).filter(({ status }) => status === 'active');
  const [wasKnown, setKnown] = useState(false);
  const isKnown = wasKnown || (numbers.data !== undefined && (conversation.data !== undefined || isNotThere(conversation.error)));
  // a conversation that is not there is read again with each change, and has no answer meanwhile: what is typed by then stays
  if (isKnown && !wasKnown) setKnown(true);
  const given = conversation.data?.data.window;
  const number = numberOf(active, chosen ?? given?.number_id ?? undefined);
  const canWrite = given?.open === true && (given.number_id === null || given.number_id === number?.id);
  const isChoice = active.length > 1;
  const write = useCallback((): void => {
    onClose();
    open(id);
  }, [onClose, open, id]);
  const goesToThread = isKnown && !isChoice && canWrite;
  useEffect(() => {
    if (goesToThread) write();
  }, [goesToThread, write]);
  if (isKnown && number && !canWrite && (isTemplate || !isChoice))
    return (
      <TemplatePicker recipient={recipient} number={number} onClose={onClose} onSent={() => void whenThere(id).then(() => open(id))} />
    );
  const problem = numbers.error ?? (isNotThere(conversation.error) ? undefined : conversation.error);
  return (
    <Dialog
      title={recipient.name ?? formatPhone(recipient.phone)}
      onClose={onClose}
      footer={
        <>
          <Button look="quiet" icon="left" onClick={onBack}>
            {shell.back}
          </Button>
          <span className="grow" />
          {number && isChoice && (
            <Button look="primary" icon={canWrite ? 'edit' : 'template'} onClick={() => (canWrite ? write() : setTemplate(true))}>
              {canWrite ? text.write : text.template}
            </Button>
          )}
        </>
      }
    >
      {problem && <ProblemCard error={problem} />}
      {!problem && (!isKnown || goesToThread) && <Loading rows={2} />}
      {isKnown && !number && <p className="muted">{text.noNumber}</p>}
      {isKnown && number && isChoice && (
        <>
          <SelectField
            label={text.from}
            hint={text.fromHint}
            choices={active.map((each) => [String(each.id), formatPhone(each.phone)] as const)}
            value={String(number.id)}
            onText={(value) => setChosen(Number(value))}
          />
          <p role="status">{canWrite ? text.isOpen : text.isClosed}</p>
        </>
      )}
    </Dialog>
  );
};

/** A contact that never wrote and was never written to has no conversation. */
const isNotThere = (error: unknown): boolean => error instanceof SwitchboardProblem && error.status === 404;

const numberOf = (active: readonly CompanyNumber[], wanted: number | undefined): CompanyNumber | undefined =>
  active.find(({ id }) => id === wanted) ?? active.find(({ is_default: isDefault }) => isDefault) ?? active[0];
