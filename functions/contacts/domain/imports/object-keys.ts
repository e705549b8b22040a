interface Numbered {
  companyId: number;
  id: number;
}

/** Where an import's objects lie in its bucket. */
export const uploadKey = ({ companyId, id }: Numbered): string => `${companyId}/${id}/upload.csv`;
export const errorsKey = ({ companyId, id }: Numbered): string => `${companyId}/${id}/errors.csv`;
/** The failed rows of one slice: the same object when the slice is worked again. */
export const sliceErrorsKey = ({ companyId, id }: Numbered, slice: number): string => `${companyId}/${id}/errors/${slice}.csv`;
