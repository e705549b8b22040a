import { afterAll, beforeAll, vi } from 'vitest';
import { conformanceOnLaptop } from './laptop/conformance.ts';
import { contactImportOnLaptop } from './laptop/contact-import.ts';
import { doctorOnLaptop } from './laptop/doctor.ts';
import { firstMessageOnLaptop, newCompanyOnLaptop } from './laptop/first-message.ts';
import { guidesOnLaptop } from './laptop/guides.ts';
import { operatorOnLaptop } from './laptop/operator.ts';
import { startLaptop, stopLaptop } from './laptop/product.ts';
import { storeInstallationOnLaptop } from './laptop/store-installation.ts';

/** The product as a developer starts it, in a process of its own. */
beforeAll(startLaptop);
afterAll(stopLaptop);
// the doctor's tests read the laptop's table from this process, whose client keeps the address
afterAll(() => vi.resetModules());

// restarts it: before the others have started functions that would have to start again
storeInstallationOnLaptop();
guidesOnLaptop();
firstMessageOnLaptop();
operatorOnLaptop();
conformanceOnLaptop();
// takes credentials from the numbers: after what sends
doctorOnLaptop();
// for which the doctor would have advice
newCompanyOnLaptop();
// kills it, at full size
contactImportOnLaptop();
