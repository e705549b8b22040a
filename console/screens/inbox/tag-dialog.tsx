import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Empty } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DialogSearch } from '../../components/dialog-search.tsx';
import { Icon } from '../../components/icons.tsx';
import { Shown } from '../../components/shown.tsx';
import { read } from '../../data/queries.ts';
import { openedText } from '../../text/opened.ts';
import { useText } from '../../text/text.ts';

interface TagDialogProps {
  onClose: () => void;
  onChoose: (id: number) => void;
}

/** Chooses the tag whose contacts' conversations the list shows. */
const TagDialog = ({ onClose, onChoose }: TagDialogProps): JSX.Element => {
  const text = useText(openedText);
  const [search, setSearch] = useState('');
  const query = useQuery(read('listTags'));
  const found = (query.data?.data ?? []).filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const choose = (id: number | undefined): void => {
    if (id === undefined) return;
    onChoose(id);
    onClose();
  };
  return (
    <Dialog title={text.byTag} onClose={onClose}>
      <DialogSearch label={text.searchTags} value={search} onText={setSearch} onEnter={() => choose(found[0]?.id)} />
      <Shown query={query} rows={3}>
        {() =>
          found.length === 0 ? (
            <Empty icon="tag" title={text.noTags}>
              <p>{text.noTagsHint}</p>
            </Empty>
          ) : (
            <ul className="template-list">
              {found.map(({ id, name }) => (
                <li key={id}>
                  <button type="button" onClick={() => choose(id)}>
                    <span className="row">
                      <Icon name="tag" />
                      <span className="cut grow" dir="auto">
                        {name}
                      </span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Dialog>
  );
};
export default TagDialog;
