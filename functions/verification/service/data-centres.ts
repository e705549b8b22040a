import { readOwnFile } from '../../../shared/runtime/file.ts';
import { verificationFiles } from '../contract/files.ts';
import { asnOf, type DataCentres, decodeDataCentres } from '../domain/data-centre.ts';

let dataCentres: Promise<DataCentres> | undefined;

/** The autonomous system of the data centre that an address belongs to. The file is read with the first address of a process. */
export const getDataCentreAsn = async (address: string): Promise<number | undefined> => {
  dataCentres ??= readOwnFile(verificationFiles, 'data-centres.bin').then(decodeDataCentres);
  return asnOf(address, await dataCentres);
};
