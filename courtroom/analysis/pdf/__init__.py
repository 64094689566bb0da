"""A PDF's pages: the child that opens it; text, drawings, images and what nobody sees."""
