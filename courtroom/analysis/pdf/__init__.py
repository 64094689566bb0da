"""Text, drawings, images and hidden text of a PDF's pages, read in a confined child process."""
