import { readOwnFile } from '../../../shared/runtime/file.ts';
import { verificationFiles } from '../contract/files.ts';
import { asnOf, type DataCentres, unpackedDataCentres } from '../domain/data-centre.ts';

/** The autonomous system whose data centre an address lies in (V13, V27); the file is read with the first address of a process. */
export const dataCentreOf = async (address: string): Promise<number | undefined> => {
  known ??= readOwnFile(verificationFiles, 'data-centres.bin').then(unpackedDataCentres);
  return asnOf(address, await known);
};

let known: Promise<DataCentres> | undefined;
