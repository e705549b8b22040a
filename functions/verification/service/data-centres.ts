import { readOwnFile } from '../../../shared/runtime/file.ts';
import { verificationFiles } from '../contract/files.ts';
import { asnOf, type DataCentres, decodeDataCentres } from '../domain/data-centre.ts';

/** The autonomous system whose data centre an address lies in (V13, V27); the file is read with the first address of a process. */
export const getDataCentreAsn = async (address: string): Promise<number | undefined> => {
  dataCentres ??= readOwnFile(verificationFiles, 'data-centres.bin').then(decodeDataCentres);
  return asnOf(address, await dataCentres);
};

let dataCentres: Promise<DataCentres> | undefined;
