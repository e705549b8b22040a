import { type JSX, useEffect, useRef, useState } from 'react';
import { byExtension, kindOfMime, kindOfName } from '../../../functions/media/domain/file-kind.ts';
import { Button } from '../../components/basics.tsx';
import { DropFile } from '../../components/drop-file.tsx';
import { TextField } from '../../components/fields.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { formatCount } from '../../components/time.tsx';
import { useWrite } from '../../data/forms.ts';
import { fileProblem, uploadFile } from '../../data/uploads.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useLocale, useText } from '../../text/text.ts';
import type { Filling } from './campaign-values.ts';

interface MediaFieldProps {
  /** IMAGE, VIDEO or DOCUMENT. */
  kind: string;
  filling: Filling;
  onFill: (next: Filling) => void;
  /** Shows the picture that all get. */
  onPicture: (file: File | undefined) => void;
}

/** The file above the text: dropped or chosen and uploaded at once, or the link of one. A header has one of them. */
export const MediaField = ({ kind, filling, onFill, onPicture }: MediaFieldProps): JSX.Element => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  const [share, setShare] = useState(0);
  const [refused, setRefused] = useState<string>();
  // what ends after another template was chosen is no file of that one
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => void (isThere.current = false);
  }, []);
  const isOfKind = ({ kind: each }: { kind: string }): boolean => each === kind.toLowerCase();
  const types = Object.values(byExtension).filter(isOfKind);
  const upload = useWrite(
    async (file: File) => ({ id: await uploadFile(file, setShare), name: file.name }),
    (stored, file) => {
      if (!isThere.current) return;
      onFill({ field: '', text: '', file: stored });
      onPicture(file.type.startsWith('image/') ? file : undefined);
    },
  );
  const refusalOf = (file: File): string | undefined => {
    const given = kindOfMime(file.type) ?? kindOfName(file.name);
    if (!given || !isOfKind(given)) return text.wrongFile;
    const found = fileProblem(file);
    return found?.problem === 'size' ? text.largeFile(formatCount(tag, found.mostMegabytes)) : undefined;
  };
  const take = (file: File): void => {
    const refusal = refusalOf(file);
    setRefused(refusal);
    if (refusal !== undefined) return;
    setShare(0);
    upload.run(file);
  };
  const takeOut = (): void => {
    onFill({ field: '', text: '' });
    onPicture(undefined);
  };
  const { file } = filling;
  return (
    <>
      <div className="field">
        <DropFile
          label={text.headerFile}
          icon={kind === 'IMAGE' ? 'image' : 'file'}
          accept={[...new Set(types.map(({ mime }) => mime))].join(',')}
          isInvalid={refused !== undefined}
          isBusy={upload.isPending}
          onFile={take}
        >
          {upload.isPending ? text.uploading(Math.round(share * 100)) : <strong dir="auto">{file?.name ?? text.dropHeader}</strong>}
        </DropFile>
        {refused !== undefined && (
          <span className="problem" role="alert">
            {refused}
          </span>
        )}
        {upload.error && <ProblemCard error={upload.error} />}
      </div>
      {file ? (
        <Button small icon="close" onClick={takeOut}>
          {text.takeOutFile}
        </Button>
      ) : (
        <TextField label={text.mediaLink} type="url" value={filling.text} onText={(link) => onFill({ field: '', text: link })} />
      )}
    </>
  );
};
