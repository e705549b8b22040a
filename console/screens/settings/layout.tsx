import type { ComponentType } from 'react';
import { areaOf } from '../../components/subnav.tsx';
import { settingsText } from '../../text/settings.ts';
import { settingsPages } from '../pages.ts';
import './settings.css';

const Settings: ComponentType = areaOf(settingsText, 'title', settingsPages);
export default Settings;
