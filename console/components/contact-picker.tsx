import { type JSX, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Contact } from '../../client/client.ts';
import { addressOf } from '../data/phone.ts';
import { read } from '../data/queries.ts';
import { useRested } from '../data/rested.ts';
import { Avatar, Button } from './basics.tsx';
import { TextField } from './fields.tsx';
import './contact-picker.css';

interface ContactPickerProps {
  label: string;
  /** What takes the choice back. */
  changeLabel: string;
  chosen: Contact | undefined;
  onChoose: (contact: Contact | undefined) => void;
}

const shortest = 2;

/** Chooses a contact by a part of its name or its phone. */
export const ContactPicker = ({ label, changeLabel, chosen, onChoose }: ContactPickerProps): JSX.Element => {
  const [typed, setTyped] = useState('');
  const search = useRested(typed.trim());
  const { data } = useQuery({
    ...read('listContacts', { query: { search, limit: 6 } }),
    enabled: search.length >= shortest && !chosen,
    placeholderData: keepPreviousData,
  });
  const nameOf = (contact: Contact): string => contact.name ?? addressOf(contact);
  if (chosen)
    return (
      <div className="row">
        <Avatar name={nameOf(chosen)} size={24} />
        <strong className="grow cut" dir="auto">
          {nameOf(chosen)}
        </strong>
        <Button small onClick={() => onChoose(undefined)}>
          {changeLabel}
        </Button>
      </div>
    );
  return (
    <div>
      <TextField label={label} type="search" dir="auto" value={typed} onText={setTyped} />
      <ul className="picked-from" aria-label={label}>
        {(search.length >= shortest ? (data?.data ?? []) : []).map((contact) => (
          <li key={contact.id}>
            <button type="button" className="row" onClick={() => onChoose(contact)}>
              <Avatar name={nameOf(contact)} size={22} />
              <span className="cut grow" dir="auto">
                {nameOf(contact)}
              </span>
              <span className="muted numbers">{contact.name === null ? '' : addressOf(contact)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
};
