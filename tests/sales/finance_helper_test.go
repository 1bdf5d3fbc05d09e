package sales
