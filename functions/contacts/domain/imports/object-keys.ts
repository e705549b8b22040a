interface Numbered {
  companyId: number;
  id: number;
}

/** S3 keys of the objects of an import. */
export const uploadKey = ({ companyId, id }: Numbered): string => `${companyId}/${id}/upload.csv`;
export const errorsKey = ({ companyId, id }: Numbered): string => `${companyId}/${id}/errors.csv`;
/** The failed rows of one slice; a repeated slice overwrites the same object. */
export const sliceErrorsKey = ({ companyId, id }: Numbered, slice: number): string => `${companyId}/${id}/errors/${slice}.csv`;
/** A part of an export, and the files that its parts are joined to. */
export const jobPartKey = ({ companyId, id }: Numbered, part: number): string => `${companyId}/jobs/${id}/parts/${part}`;
export const jobFileKey = ({ companyId, id }: Numbered, file: number): string => `${companyId}/jobs/${id}/${file}`;
