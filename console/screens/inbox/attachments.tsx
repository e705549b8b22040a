import { type JSX, useCallback, useEffect, useState } from 'react';
import { Button } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { formatCount } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { hasFiles, useDrop } from '../../components/use-drop.ts';
import { useDraftFiles } from '../../data/draft-files.ts';
import { useSession } from '../../data/session.ts';
import { fileProblem } from '../../data/uploads.ts';
import { inboxText } from '../../text/inbox.ts';
import { useLocale, useText } from '../../text/text.ts';

/** The files of a draft, and attaching more: those that WhatsApp takes; of the others the reason is shown. */
export const useAttached = (conversationId: number) => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const { files: drafts } = useSession();
  const [files, setFiles] = useDraftFiles(drafts, conversationId);
  const attach = useCallback(
    (given: FileList | null): void => {
      const good: File[] = [];
      for (const file of given ?? []) {
        const found = fileProblem(file);
        if (found?.problem === 'type') toast(text.fileType(file.name));
        else if (found) toast(text.fileSize(file.name, formatCount(tag, found.mostMegabytes)));
        else good.push(file);
      }
      if (good.length > 0) drafts.set(conversationId, [...drafts.get(conversationId), ...good]);
    },
    [drafts, conversationId, text, tag],
  );
  return { files, setFiles, attach };
};

/** Files that are dropped anywhere on the thread are attached. */
export const useDroppedFiles = (conversationId: number, isOn: boolean) => {
  const { attach } = useAttached(conversationId);
  return useDrop(
    (event) => isOn && hasFiles(event),
    (event) => attach(event.dataTransfer.files),
  );
};

interface AttachmentsProps {
  files: readonly File[];
  onFiles: (files: readonly File[]) => void;
}

/** What goes with the message: pictures as they are, other files by name and size. */
export const Attachments = ({ files, onFiles }: AttachmentsProps): JSX.Element | null => {
  const text = useText(inboxText);
  if (files.length === 0) return null;
  return (
    <ul className="attachments">
      {files.map((file, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same file can be attached twice
        <li key={`${index} ${file.name}`} className="attached">
          <Preview file={file} />
          <span className="cut grow">{file.name}</span>
          <small className="muted numbers">{Math.ceil(file.size / 1024)} KB</small>
          <Button
            look="quiet"
            small
            icon="close"
            label={text.removeName(file.name)}
            onClick={() => onFiles(files.filter((_, nth) => nth !== index))}
          />
        </li>
      ))}
    </ul>
  );
};

const Preview = ({ file }: { file: File }): JSX.Element => {
  const [address, setAddress] = useState<string>();
  const isPicture = file.type.startsWith('image/');
  useEffect(() => {
    if (!isPicture) return undefined;
    const url = URL.createObjectURL(file);
    setAddress(url);
    return () => URL.revokeObjectURL(url);
  }, [file, isPicture]);
  return address === undefined ? <Icon name="file" /> : <img src={address} alt="" />;
};
