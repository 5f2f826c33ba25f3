// The console's own script. Pages are made by the service and read without it; it sends the forms and keeps an open page fresh.

import './dialogs.js';
import './forms.js';
import './grid.js';
import './refresh.js';

// On a narrow screen the header scrolls sideways.
document.querySelector('header [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
