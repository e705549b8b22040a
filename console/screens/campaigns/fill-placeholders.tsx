import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { SelectField, TextField } from '../../components/fields.tsx';
import type { Placeholder } from '../../components/template-parts.ts';
import { read } from '../../data/queries.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';
import type { Filling, Fillings } from './campaign-values.ts';
import { MediaField } from './media-field.tsx';

interface FillPlaceholdersProps {
  wanted: readonly Placeholder[];
  fillings: Fillings;
  onFill: (next: Fillings) => void;
  /** Shows the picture above the text. */
  onPicture: (file: File | undefined) => void;
}

/** Each placeholder of a template: from a field of the contact, with a text where the contact has none, or a text for all. */
export const FillPlaceholders = ({ wanted, fillings, onFill, onPicture }: FillPlaceholdersProps): JSX.Element => {
  const text = useText(campaignsText);
  const own = useQuery({ ...read('listFields'), staleTime: 5 * 60_000 }).data?.data ?? [];
  const fields: readonly (readonly [string, string])[] = [
    ['', text.sameForAll],
    ['name', text.fieldName],
    ['city', text.fieldCity],
    ['company', text.fieldCompany],
    ['email', text.fieldEmail],
    ['phone', text.phone],
    ['country', text.fieldCountry],
    ...own.filter(({ is_active }) => is_active).map(({ key, name }) => [`custom.${key}`, name] as const),
  ];
  return (
    <>
      {wanted.map((placeholder) => {
        const filling = fillings[placeholder.id] ?? { field: '', text: '' };
        const fill = (next: Partial<Filling>): void => onFill({ ...fillings, [placeholder.id]: { ...filling, ...next } });
        const { part, name } = placeholder;
        if (part === 'media')
          return (
            <MediaField
              key={`${placeholder.id} ${name}`}
              kind={name}
              filling={filling}
              onFill={(next) => onFill({ ...fillings, [placeholder.id]: next })}
              onPicture={onPicture}
            />
          );
        if (part === 'offer')
          return (
            <TextField
              key={placeholder.id}
              label={text.offerEnds}
              type="datetime-local"
              value={filling.text}
              onText={(value) => fill({ text: value })}
            />
          );
        return (
          <div key={placeholder.id} className="filling">
            <SelectField
              label={part === 'link' ? text.linkEnd(name) : part === 'code' ? text.couponCode : text.valueOf(name)}
              value={filling.field}
              choices={fields}
              onText={(field) => fill({ field })}
            />
            <TextField
              label={filling.field === '' ? text.fixedText : text.otherwise}
              dir="auto"
              value={filling.text}
              onText={(value) => fill({ text: value })}
            />
          </div>
        );
      })}
    </>
  );
};
